\connect larkfield
SET ROLE larkfield_owner;
BEGIN;

INSERT INTO items (sku, name, kind, price_cents)
SELECT upper(left(kind, 1)) || '-' || (100 + row_number() OVER ()), name, kind, 190 + 35 * (row_number() OVER () % 9)
FROM (VALUES ('Cornflower', 'flower'), ('Larkspur', 'flower'), ('Sweet pea', 'flower'), ('Nasturtium', 'flower'),
             ('Poppy, red', 'flower'), ('Marigold', 'flower'), ('Basil', 'herb'), ('Chervil', 'herb'), ('Dill', 'herb'),
             ('Lovage', 'herb'), ('Thyme', 'herb'), ('Summer savory', 'herb'), ('Broad bean', 'vegetable'),
             ('Beetroot', 'vegetable'), ('Kale', 'vegetable'), ('Leek', 'vegetable'), ('Radish', 'vegetable'),
             ('Tomato, early', 'vegetable')) AS seeds (name, kind);
INSERT INTO items (sku, name, kind, price_cents) VALUES ('V-900', 'Voucher, price of the day', 'voucher', 1000);

INSERT INTO orders (reference, client_reference, item_id, quantity, amount_cents, customer, email, status, taken_by, created_at)
SELECT 'LF-' || upper(left(md5('order ' || n), 10)), 'web-' || left(md5('client ' || n), 20), i.id, quantity, quantity * i.price_cents,
       first || ' ' || last, lower(first || '.' || last || n || '@example.com'),
       CASE WHEN n % 9 = 4 THEN 'cancelled' WHEN n < 520 THEN 'sent' ELSE 'open' END,
       'larkfield_app' || (1 + n % 3), now() - interval '20 minutes' - make_interval(mins => 13 * (600 - n))
FROM generate_series(1, 600) AS n
JOIN items i ON i.id = 1 + (n * n + 3 * n) % 18
CROSS JOIN LATERAL (SELECT
    (ARRAY['Alma', 'Bruno', 'Cecile', 'David', 'Edda', 'Felix', 'Greta', 'Henri', 'Ida', 'Jakob', 'Klara'])[1 + n % 11] AS first,
    (ARRAY['Aerts', 'Brandt', 'Caron', 'Dumont', 'Engel', 'Fischer', 'Gerard', 'Haas', 'Imhof', 'Jansen', 'Keller', 'Lemaire',
           'Maes'])[1 + n % 13] AS last,
    1 + n % 5 AS quantity) AS detail
ORDER BY n;

COMMIT;
ANALYZE items, orders;
