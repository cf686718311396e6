# What customers hold confirmations for: every seeded booking and payment, row by row.
psql -h db -U oncall -d harbourline -X -q -A -t -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null || { echo "the bookings cannot be read"; exit 1; }
SET search_path = pg_catalog;
SELECT (SELECT count(*) FROM public.bookings WHERE id <= 800) || ' bookings, '
    || (SELECT count(*) FROM public.payments WHERE booking_id <= 800) || ' payments, '
    || md5((SELECT string_agg(b::text, '|' ORDER BY b.id)
            FROM (SELECT id, reference, client_reference, sailing_id, passenger_name, email, seats, amount_cents, status, created_at
                  FROM public.bookings WHERE id <= 800) b))
    || md5((SELECT string_agg(p::text, '|' ORDER BY p.id) FROM public.payments p WHERE booking_id <= 800));
SQL
