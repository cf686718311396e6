# What customers hold confirmations for: every seeded booking and payment, row by row; and no seat sold twice.
psql -h db -U oncall -d harbourline -X -q -A -t -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null || { echo "the bookings cannot be read"; exit 1; }
SET search_path = pg_catalog;
SELECT (SELECT count(*) FROM public.bookings WHERE id <= 800) || ' bookings, '
    || (SELECT count(*) FROM public.payments WHERE booking_id <= 800) || ' payments, '
    || md5((SELECT string_agg(b::text, '|' ORDER BY b.id)
            FROM (SELECT id, reference, client_reference, sailing_id, passenger_name, email, seats, amount_cents, status, created_at
                  FROM public.bookings WHERE id <= 800) b))
    || md5((SELECT string_agg(p::text, '|' ORDER BY p.id) FROM public.payments p WHERE booking_id <= 800))
    || md5((SELECT string_agg(s::text, '|' ORDER BY s.id)
            FROM (SELECT id, code, route_id, vessel, departs_at, capacity, price_cents FROM public.sailings WHERE id <= 168) s))
    || ', ' || (SELECT count(*) FROM public.sailings s WHERE s.capacity - s.seats_left IS DISTINCT FROM
            (SELECT coalesce(sum(b.seats), 0) FROM public.bookings b WHERE b.sailing_id = s.id AND b.status <> 'cancelled'))
    || ' sailings with a wrong count of seats';
SQL
