\connect saltmarsh
SET ROLE saltmarsh_owner;
BEGIN;

INSERT INTO customers (slug, name, token_sha256) VALUES
    ('{{small}}', initcap('{{small}}') || ' am Deich', encode(sha256('{{token_small}}'), 'hex')),
    ('{{big}}', initcap('{{big}}') || ' Nordkai', encode(sha256('{{token_big}}'), 'hex')),
    ('{{middle}}', initcap('{{middle}}') || ' am Wall', encode(sha256('{{token_middle}}'), 'hex'));

INSERT INTO entries (customer_id, booked_on, voucher, account, contra, amount_cents, text, document, entered_at)
SELECT c.id, date '2026-01-01' + (n * 300 / c.rows), 'V' || c.id || '-' || lpad(n::text, 6, '0'),
       (ARRAY[4400, 4830, 6300, 6815, 1200, 1800, 7000])[1 + n % 7], (ARRAY[1200, 1600, 1800])[1 + n % 3],
       (n * 7919 % 250000) - 90000,
       (ARRAY['Invoice of supplier', 'Wages', 'Repair of crane', 'Freight', 'Box office', 'Electricity', 'Bank charges'])[1 + n % 7]
           || ', posting ' || n || ', cost centre ' || (100 + n % 37),
       'Page 1 of 2, voucher ' || n || E'\n' || repeat('Item ' || (n % 90) || '    1 piece    net    VAT 19 %    as ordered, delivered and checked' || E'\n', 75),
       timestamptz '2026-01-01 08:00+00' + make_interval(secs => n * 400.0)
FROM (SELECT id, (ARRAY[240, {{rows}}, 410])[id] AS rows FROM customers) AS c
CROSS JOIN LATERAL generate_series(1, c.rows) AS n;

CREATE INDEX entries_customer ON entries (customer_id, id);
COMMIT;
ANALYZE customers, entries;
