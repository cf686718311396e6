\connect ferngiro
SET ROLE ferngiro_owner;
BEGIN;

-- 300 payouts of the last period, which is closed, and 12 that merchants have scheduled for the days to come.
INSERT INTO payouts (reference, merchant, iban, amount_cents, execute_at, status, claimed_by, created_at)
SELECT 'po-' || left(md5('payout ' || n), 16),
       (ARRAY['Hofladen Brinkmann', 'Radhaus Nord', 'Teekontor Wittmund', 'Atelier Sand', 'Buchhandlung Kiel 7', 'Fischhalle Heikes'])[1 + n % 6],
       'DE' || lpad((10 + n % 89)::text, 2, '0') || lpad(((n::bigint * 7919 * 104729) % 1000000000000000000)::text, 18, '0'),
       1500 + (n * 7717) % 480000,
       CASE WHEN n <= 300 THEN made ELSE date_trunc('day', now()) + make_interval(days => 2 + n % 5, hours => 6) END,
       CASE WHEN n <= 300 THEN 'booked' ELSE 'queued' END,
       CASE WHEN n <= 300 THEN 'post-' || (1 + n % 2) END, made
FROM generate_series(1, 312) AS n
CROSS JOIN LATERAL (SELECT date_trunc('minute', now()) - make_interval(days => 3, mins => (313 - n) * 41) AS made) AS times
ORDER BY n;

INSERT INTO entries (period, entry_no, payout_id, amount_cents, booked_by, booked_at, receipt_at)
SELECT '117', id, id, amount_cents, claimed_by, created_at + interval '2 seconds', created_at + interval '3 seconds'
FROM payouts WHERE status = 'booked';

COMMIT;
ANALYZE payouts, entries;
