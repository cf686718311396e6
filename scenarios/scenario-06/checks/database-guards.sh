# Logins need their password, and the server keeps what it has promised over a loss of power.
# Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//' | grep -E '[^[:space:]]')
try() { PGPASSWORD=$2 PGCONNECT_TIMEOUT=10 psql "host=db user=$1 dbname=$3" -X -A -t -c "$4" 2>/dev/null; }

# All at once: each takes its time to be refused.
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
(try velodepot_app "$APP_PASSWORD" velodepot 'SELECT 1' >/dev/null || touch "$work/app") &
(try velodepot_app wrong-password velodepot 'SELECT 1' >/dev/null && touch "$work/open") &
(try postgres '' velodepot 'SELECT 1' >/dev/null && touch "$work/superuser") &
(try "$ROLE" wrong-password 'postgres replication=true' IDENTIFY_SYSTEM >/dev/null && touch "$work/log") &
psql -h db -U oncall -d velodepot -X -A -t -c 'SHOW fsync' -c 'SHOW full_page_writes' -c 'SHOW synchronous_commit' \
    -c 'SHOW max_slot_wal_keep_size' -c 'SHOW data_checksums' 2>/dev/null | tr '\n' ' ' > "$work/settings"
wait
[ -e "$work/app" ] && { echo "the service's own login does not work"; exit 1; }
[ -e "$work/open" ] && { echo "the database lets the service in without its password"; exit 1; }
[ -e "$work/superuser" ] && { echo "the database lets its superuser in over the network"; exit 1; }
[ -e "$work/log" ] && { echo "anybody may copy the log"; exit 1; }
printf '%s\n' "$rules" | grep -qvE '(scram-sha-256|peer|reject)[[:space:]]*$' && { echo "the database lets somebody in without a password, or with a weaker check of it"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
printf '%s\n' "$rules" | awk -v role="$ROLE" '$1 != "local" && $2 ~ /replication/ && $3 != role { found = 1 } END { exit !found }' && { echo "others than the archive may copy the log"; exit 1; }
[ "$(cat "$work/settings")" = "on on on -1 on " ] || { echo "what is committed, or what the archive waits for, is less safe than it was"; exit 1; }
echo "logins need their password, and the log is as safe as it was"
