# What customers hold confirmations for: every seeded booking and payment, row by row; and no seat sold twice. The database
# only hands out rows: whoever is its superuser can make its functions say anything. And every booking that was confirmed to a
# customer since then.
cut -d ' ' -f 2 /run/customers/2 2>/dev/null | sed 's/^/web-/' > promised
rows=$(psql -h db -U oncall -d harbourline -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'booking', id, sailing_id, seats, status, reference, client_reference, passenger_name, email, amount_cents, created_at, updated_at FROM public.bookings) TO STDOUT;
COPY (SELECT 'payment', booking_id, id, amount_cents, method, paid_at FROM public.payments) TO STDOUT;
COPY (SELECT 'sailing', id, seats_left, capacity, code, route_id, vessel, departs_at, price_cents, status FROM public.sailings) TO STDOUT;
COPY (SELECT 'route', id, code, origin, destination, duration_minutes FROM public.routes) TO STDOUT;
COMMIT;
SQL
) || { echo "the bookings cannot be read"; exit 1; }

counts=$(printf '%s\n' "$rows" | awk -F '\t' '
    $1 == "booking" && $2 <= 800 { bookings++ }
    $1 == "payment" && $2 <= 800 { payments++ }
    $1 == "booking" && $5 != "cancelled" { taken[$3] += $4 }
    $1 == "sailing" { sold[$2] = $4 - $3 }
    END {
        for (id in sold) if (sold[id] != taken[id] + 0) wrong++
        for (id in taken) if (!(id in sold)) wrong++
        print bookings + 0 " bookings, " payments + 0 " payments, " wrong + 0 " sailings with a wrong count of seats"
    }')
seeded=$(printf '%s\n' "$rows" | awk -F '\t' -v OFS='\t' '
    $1 == "sailing" { $3 = "" }
    ($1 == "booking" || $1 == "payment") && $2 > 800 { next }
    { print }' | sort | sha256sum | cut -c 1-32)
lost=$(printf '%s\n' "$rows" | awk -F '\t' '$1 == "booking" && $5 != "cancelled" && $4 == 1 && $8 == "Web Customer" { print $7 }' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost bookings that were confirmed to customers are gone or changed"; exit 1; }
echo "$counts, $seeded"
