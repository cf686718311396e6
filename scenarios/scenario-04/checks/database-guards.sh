# Every replica logs in with its own name and password, and nobody without one.
# Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//')
exec 9>/tmp/replicas.lock
flock -w 17 9 || { echo "the replicas are busy with another check"; exit 1; }
try() { PGPASSWORD=$2 PGCONNECT_TIMEOUT=5 psql -h db -U "$1" -d larkfield -X -A -t -c 'SELECT 1' >/dev/null 2>&1; }

for entry in $LOGINS; do
    try "${entry%%:*}" "${entry#*:}" || { echo "the login of a replica does not work"; exit 1; }
done
try larkfield_app1 wrong-password && { echo "the database lets a replica in without its password"; exit 1; }
try postgres '' && { echo "the database lets its superuser in over the network"; exit 1; }
printf '%s\n' "$rules" | grep -qwE 'trust|ident' && { echo "the database lets somebody in without a password"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
echo "logins to the database need their password"
