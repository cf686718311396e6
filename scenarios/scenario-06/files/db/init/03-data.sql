\connect velodepot
SET ROLE velodepot_owner;
BEGIN;

INSERT INTO stations (code, name) VALUES
    ('HBF', 'Hauptbahnhof'), ('MKT', 'Marktplatz'), ('UNI', 'Universität'), ('HAF', 'Hafen'), ('ZOO', 'Tierpark'), ('MES', 'Messe'),
    ('STA', 'Stadion'), ('KLI', 'Klinikum'), ('OST', 'Ostkreuz'), ('WER', 'Werft'), ('SEE', 'Seebad'), ('RAT', 'Rathaus');

INSERT INTO docks (code, station_id, bike, battery_percent)
SELECT s.code || '-' || lpad(n::text, 2, '0'), s.id, CASE WHEN n % 3 > 0 THEN 'V' || lpad((s.id * 97 + n)::text, 4, '0') END, 40 + (s.id * n) % 60
FROM stations s CROSS JOIN generate_series(1, 20) AS n;

-- 900 rides of the last weeks, all of them paid.
INSERT INTO rides (client_reference, rider, bike, from_station, to_station, price_cents, begun_at, ended_at)
SELECT 'app-' || left(md5('ride ' || n), 20), first || ' ' || last, 'V' || lpad((n * 37 % 1300)::text, 4, '0'), 1 + n % 12, 1 + n * 7 % 12,
       100 + 12 * minutes, begun, begun + make_interval(mins => minutes)
FROM generate_series(1, 900) AS n
CROSS JOIN LATERAL (SELECT
    (ARRAY['Anja', 'Bodo', 'Carla', 'Dirk', 'Edda', 'Frieda', 'Gero', 'Hanna', 'Ivo', 'Jule', 'Karl'])[1 + n % 11] AS first,
    (ARRAY['Arndt', 'Bauer', 'Conrad', 'Decker', 'Ernst', 'Fuchs', 'Graf', 'Haas', 'Jahn', 'Kunz', 'Lang', 'Maas', 'Noll'])[1 + n % 13] AS last,
    4 + (n * n) % 51 AS minutes,
    date_trunc('minute', now()) - make_interval(mins => 300 + n * 31) AS begun
) AS detail;

INSERT INTO tracks
SELECT r.id, m, 54.30 + (r.id * 13 + m) % 997 * 0.00011, 10.10 + (r.id * 7 + m * 3) % 991 * 0.00013
FROM rides r CROSS JOIN generate_series(1, 22) AS m;

COMMIT;
ANALYZE stations, docks, rides, tracks;
