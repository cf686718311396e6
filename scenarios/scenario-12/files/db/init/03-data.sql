\connect larkspur
SET ROLE larkspur_owner;
BEGIN;

INSERT INTO depots (code, name)
SELECT 'D' || lpad(n::text, 2, '0'), (ARRAY['Kiel', 'Ulm', 'Gera', 'Jena', 'Trier', 'Hamm', 'Celle', 'Fulda'])[1 + n % 8] || ' ' || (1 + n / 8)
FROM generate_series(0, 39) AS n;

-- A ring, and ways across it.
INSERT INTO lanes (origin, destination, cents_per_100kg)
SELECT 'D' || lpad(n::text, 2, '0'), 'D' || lpad(((n + hop) % 40)::text, 2, '0'), 310 + hop * 120 + (n * 37 + hop * {{spread}}) % 190
FROM generate_series(0, 39) AS n, unnest(ARRAY[1, 7, 39]) AS hop;

INSERT INTO jobs (name, factor_permille, ordered_at)
SELECT 'season 2026-' || n, 980 + 7 * n, now() - make_interval(days => 30 * (10 - n)) FROM generate_series(1, 9) AS n;
INSERT INTO prices (job_id, lane_id, cents_per_100kg)
SELECT j.id, l.id, (l.cents_per_100kg * j.factor_permille + 999) / 1000 FROM jobs j, lanes l;

INSERT INTO quotes (reference, client_reference, origin, destination, weight_kg, lanes, price_cents, made_at)
SELECT 'Q-' || upper(left(md5('quote ' || n), 10)), 'web-' || left(md5('client ' || n), 12), l.origin, l.destination, 100 * (1 + n % 90),
       ARRAY[l.id], l.cents_per_100kg * (1 + n % 90), now() - make_interval(mins => 600 - n)
FROM generate_series(1, 400) AS n JOIN lanes l ON l.id = 1 + n % 120;

INSERT INTO governor_audit (at, service, observed, applied, rules)
SELECT now() - make_interval(days => 20 - n, hours => n), CASE WHEN n % 3 = 0 THEN 'api' ELSE 'batch' END,
       CASE WHEN n % 3 = 0 THEN jsonb_build_object('slots', 20 + n, 'note', 'load test') ELSE jsonb_build_object('workers', 3 + n % 3, 'note', 'catching up') END,
       CASE WHEN n % 3 = 0 THEN '{"slots": 16}'::jsonb ELSE '{"workers": 2}'::jsonb END,
       CASE WHEN n % 3 = 0 THEN ARRAY['customers-first'] ELSE ARRAY['step-aside'] END
FROM generate_series(1, 18) AS n;

COMMIT;
ANALYZE;
