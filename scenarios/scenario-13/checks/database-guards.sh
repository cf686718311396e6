# Logins need their password, and everybody may do in the database what they could do before and no more.
# Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//')
try() { PGPASSWORD=$2 PGCONNECT_TIMEOUT=4 psql -h db -U "$1" -d nordkai -X -A -t -c "$3" 2>/dev/null; }

try nordkai_app "$APP_PASSWORD" 'SELECT 1' >/dev/null || { echo "the service's own login does not work"; exit 1; }
try nordkai_app wrong-password 'SELECT 1' >/dev/null && { echo "the database lets the service in without its password"; exit 1; }
try postgres '' 'SELECT 1' >/dev/null && { echo "the database lets its superuser in over the network"; exit 1; }
printf '%s\n' "$rules" | grep -qwE 'trust|ident' && { echo "the database lets somebody in without a password"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
echo "logins to the database need their password"
