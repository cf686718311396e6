\connect nordkai
SET ROLE nordkai_owner;
BEGIN;

INSERT INTO depots (code, name) VALUES
    ('BRV', 'Bremerhaven'), ('CUX', 'Cuxhaven'), ('EMD', 'Emden'), ('HUS', 'Husum'), ('WHV', 'Wilhelmshaven');

-- The last two days; the vans had room for {{van}}.
INSERT INTO shipments (number, client_reference, depot_id, recipient, address, grams, status, ready_at, created_at)
SELECT 'NK' || lpad((n * 7919 % 100000)::text || lpad(n::text, 4, '0'), 12, '0'), 'edi-' || left(md5('{{app_password}}' || n), 16), 1 + n % 5,
       (ARRAY['Antje Ahrends', 'Bodo Carstens', 'Deike Eden', 'Focko Gerken', 'Hiske Ites', 'Jelto Kampen'])[1 + n % 6],
       'Deichweg ' || 1 + n % 80 || ', ' || 26000 + n * 13 % 900 || ' Norden', 180 + n * 37 % 9000, 'dispatched', at, at - interval '5 minutes'
FROM generate_series(1, 400) AS n CROSS JOIN LATERAL (SELECT now() - interval '2 days' + n * interval '7 minutes' AS at) AS moment
ORDER BY n;

INSERT INTO labels (shipment_id, dpi, zpl, created_at)
SELECT s.id, {{dpi}}, format(E'^XA^CI28^PW%s^LL%s\n^FO%s,%s^A0N,72^FD%s^FS\n^FD%s^FS\n^XZ', round(100 * {{dpi}} / 25.4), round(150 * {{dpi}} / 25.4), 48, 48, s.recipient, s.number),
       s.ready_at + interval '1 second'
FROM shipments s ORDER BY s.id;

INSERT INTO manifests (depot_id, created_at)
SELECT depot_id, max(ready_at) + interval '2 seconds'
FROM (SELECT depot_id, ready_at, (row_number() OVER (PARTITION BY depot_id ORDER BY id) - 1) / 5 AS van FROM shipments) AS loads
GROUP BY depot_id, van ORDER BY 2;

INSERT INTO manifest_lines (manifest_id, position, shipment_id)
SELECT m.id, l.position, l.id
FROM (SELECT id, depot_id, van, row_number() OVER (PARTITION BY depot_id, van ORDER BY id) AS position
      FROM (SELECT id, depot_id, (row_number() OVER (PARTITION BY depot_id ORDER BY id) - 1) / 5 AS van FROM shipments) AS a) AS l
JOIN (SELECT id, depot_id, row_number() OVER (PARTITION BY depot_id ORDER BY id) - 1 AS van FROM manifests) AS m
  ON m.depot_id = l.depot_id AND m.van = l.van;

COMMIT;
ANALYZE;
