# Logins need their password. Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//')
try() { PGPASSWORD=$2 PGCONNECT_TIMEOUT=4 psql -h db -U "$1" -d saltmarsh -X -A -t -c 'SELECT 1' >/dev/null 2>&1; }

try saltmarsh_api "$API_PASSWORD" || { echo "the service's own login does not work"; exit 1; }
try saltmarsh_worker "$WORKER_PASSWORD" || { echo "the worker's own login does not work"; exit 1; }
try saltmarsh_worker wrong-password && { echo "the database lets the worker in without its password"; exit 1; }
try postgres '' && { echo "the database lets its superuser in over the network"; exit 1; }
printf '%s\n' "$rules" | grep -qwE 'trust|ident' && { echo "the database lets somebody in without a password"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
echo "logins to the database need their password"
