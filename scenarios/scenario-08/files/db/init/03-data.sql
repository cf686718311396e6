\connect frostgate
SET ROLE frostgate_owner;
BEGIN;

INSERT INTO rooms (code, name, target_celsius) VALUES
    ('A1', 'Fish, deep frozen', -24.0),
    ('B2', 'Vegetables, deep frozen', -20.0),
    ('M', 'Compressors', 14.0);

INSERT INTO devices (name, class, room_id, settings, installed_on) VALUES
    ('temp-{{t1}}', 'temp', 1, '{"interval_s": 15, "unit": "celsius"}', '2023-03-14'),
    ('temp-{{t2}}', 'temp', 2, '{"interval_s": 15, "unit": "celsius"}', '2023-03-14'),
    ('door-{{o1}}', 'door', 1, '{"interval_s": 20, "unit": "open"}', '2023-05-02'),
    ('door-{{o2}}', 'door', 2, '{"interval_s": 20, "unit": "open"}', '2023-05-02'),
    ('meter-{{m1}}', 'meter', 3, '{"interval_s": 30, "unit": "kwh"}', '2024-01-22'),
    ('meter-{{m2}}', 'meter', 3, '{"interval_s": 30, "unit": "kwh"}', '2024-01-22');

-- The last ten hours, every two and a half minutes.
INSERT INTO readings (device_id, message_id, value, battery_percent, measured_at, received_at)
SELECT d.id, left(md5(d.name || ' ' || n), 16),
       CASE d.class WHEN 'temp' THEN r.target_celsius + ((n * 7 + d.id) % 13) / 10.0 - 0.6
                    WHEN 'door' THEN ((n * n + d.id) % 17 = 0)::int
                    ELSE 1200 * d.id + n * 0.85 END,
       100 - n / 40, at, at + interval '300 milliseconds'
FROM generate_series(1, 240) AS n
CROSS JOIN devices d JOIN rooms r ON r.id = d.room_id
CROSS JOIN LATERAL (SELECT now() - interval '2 minutes' - make_interval(secs => 150 * (240 - n) + d.id) AS at) AS moment
ORDER BY n, d.id;

COMMIT;
ANALYZE rooms, devices, readings;
