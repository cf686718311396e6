\connect tidewell
SET ROLE tidewell_owner;
BEGIN;

CREATE TEMPORARY TABLE past AS
SELECT n, CASE WHEN n % 3 = 0 THEN 'MP-' ELSE 'SH-' END || left(md5('order ' || n), 16) AS order_id,
       CASE WHEN n % 3 = 0 THEN 'marketplace' ELSE 'shop' END AS source,
       (ARRAY['lamp', 'kettle', 'blanket', 'vase', 'clock'])[1 + n % 5] AS item, 1 + n % 4 AS quantity,
       (1 + n % 4) * (ARRAY[4900, 3450, 6200, 2750, 8900])[1 + n % 5] AS amount_cents,
       (ARRAY['Agnes', 'Benno', 'Chloe', 'Dirk', 'Elin', 'Fabio', 'Gesa'])[1 + n % 7] || ' ' ||
       (ARRAY['Ackermann', 'Bauer', 'Costa', 'Duval', 'Ek', 'Ferrari'])[1 + n % 6] AS customer,
       now() - interval '30 minutes' - make_interval(mins => 11 * (500 - n)) AS moment
FROM generate_series(1, 500) AS n;

INSERT INTO orders (order_id, item, quantity, amount_cents, customer, accepted_at)
SELECT order_id, item, quantity, amount_cents, customer, moment FROM past WHERE source = 'shop' ORDER BY n;
INSERT INTO ledger (order_id, source, item, quantity, amount_cents, customer, note, booked_at)
SELECT order_id, source, item, quantity, amount_cents, customer, CASE source WHEN 'marketplace' THEN 'lot ' || n * 7 END, moment + interval '1 second'
FROM past ORDER BY n;

COMMIT;
ANALYZE orders, ledger;
