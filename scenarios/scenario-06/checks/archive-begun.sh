# Whose log the archive receives, and where it begins.
set -u
number=$(psql -h db -U oncall -d velodepot -X -A -t -c 'SELECT system_identifier FROM pg_catalog.pg_control_system()')
for _ in $(seq 60); do
    first=$(ls /hold/archive/0 2>/dev/null | grep -E '^[0-9A-F]{24}(\.partial)?$' | sort | head -n 1)
    [ -n "$first" ] && break
    sleep 0.2
done
[ -n "$first" ] && [ -n "$number" ] || exit 1
echo "$number ${first%.partial}"
