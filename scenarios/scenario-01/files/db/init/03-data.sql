\connect harbourline
SET ROLE harbourline_owner;
BEGIN;

INSERT INTO routes (code, origin, destination, duration_minutes) VALUES
    ('KIE-AAR', 'Kiel', 'Aarhus', 310),
    ('AAR-KIE', 'Aarhus', 'Kiel', 310),
    ('ROS-TRE', 'Rostock', 'Trelleborg', 370),
    ('TRE-ROS', 'Trelleborg', 'Rostock', 370),
    ('TUR-MAR', 'Turku', 'Mariehamn', 325),
    ('MAR-TUR', 'Mariehamn', 'Turku', 325);

-- Six sailings a day, one per route, from a week ago to three weeks ahead.
INSERT INTO sailings (code, route_id, vessel, departs_at, capacity, seats_left, price_cents)
SELECT 'S' || (1000 + n), r.id,
       (ARRAY['MS Fjordlys', 'MS Aurelia', 'MS Nordstern'])[1 + (r.id - 1) / 2],
       date_trunc('day', now()) + make_interval(days => n / 6 - 7, hours => 6 + 2 * (n % 6), mins => 15),
       seats, seats, 2900 + 400 * (n % 6) + 150 * (n % 4)
FROM generate_series(0, 167) AS n
JOIN routes r ON r.id = 1 + n % 6
CROSS JOIN LATERAL (SELECT 900 + 300 * ((r.id - 1) / 2) AS seats) AS size;

-- 800 bookings: seven in ten paid, one in ten cancelled, the rest pending.
INSERT INTO bookings (reference, client_reference, sailing_id, passenger_name, email, seats, amount_cents,
                      status, created_at, updated_at)
SELECT 'HB-' || upper(translate(left(md5('booking ' || n), 8), '01', 'xy')),
       'web-' || left(md5('client ' || n), 20),
       s.id, first || ' ' || last, lower(first || '.' || last || n || '@example.com'),
       seats, seats * s.price_cents,
       CASE WHEN n % 10 < 7 THEN 'paid' WHEN n % 10 = 7 THEN 'cancelled' ELSE 'pending' END,
       booked, booked + interval '4 minutes'
FROM generate_series(1, 800) AS n
JOIN sailings s ON s.id = 1 + (n * n + 5 * n) % 168
CROSS JOIN LATERAL (SELECT
    (ARRAY['Aino', 'Bjarne', 'Clara', 'Dorte', 'Elias', 'Frida', 'Gustav', 'Hanna', 'Ingrid', 'Jonas', 'Karin'])[1 + n % 11] AS first,
    (ARRAY['Andersen', 'Bergstrom', 'Claussen', 'Dahl', 'Eriksson', 'Frandsen', 'Grabowski', 'Holm', 'Ivarsson',
           'Jensen', 'Korhonen', 'Lindqvist', 'Mikkelsen'])[1 + n % 13] AS last,
    1 + n % 4 AS seats,
    least(s.departs_at - interval '2 days', now() - interval '3 hours') - make_interval(mins => (n * 37) % 9000) AS booked
) AS detail;

INSERT INTO payments (booking_id, amount_cents, method, paid_at)
SELECT id, amount_cents, (ARRAY['card', 'card', 'card', 'invoice', 'voucher'])[1 + id % 5], updated_at
FROM bookings WHERE status = 'paid' ORDER BY created_at;

UPDATE sailings s SET seats_left = capacity - taken
FROM (SELECT sailing_id, sum(seats) AS taken FROM bookings WHERE status <> 'cancelled' GROUP BY 1) AS b
WHERE b.sailing_id = s.id;

UPDATE sailings SET status = 'closed' WHERE departs_at < now();

COMMIT;
ANALYZE routes, sailings, bookings, payments;
