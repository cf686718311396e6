set -eu
# A day of beacons and the night's maintenance, until the server ends.
for _ in $(seq 60); do
    setpriv --reuid=postgres --regid=postgres --init-groups psql -q -X -d velodepot > /dev/null 2>&1 <<'SQL' || true
UPDATE docks SET seen_at = clock_timestamp(), battery_percent = (battery_percent + 7) % 101;
VACUUM FULL tracks;
UPDATE docks SET seen_at = clock_timestamp(), battery_percent = (battery_percent + 11) % 101;
VACUUM FULL tracks;
SQL
    pgrep -x postgres > /dev/null || exit 0
done
exit 1
