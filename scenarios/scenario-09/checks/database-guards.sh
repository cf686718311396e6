# Shop and ledger log in with their own names and passwords, and nobody without one.
# Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//')
try() { PGPASSWORD=$2 psql -h db -U "$1" -d tidewell -X -A -t -c 'SELECT 1' 2>&1; }

for entry in $LOGINS; do
    [ "$(try "${entry%%:*}" "${entry#*:}")" = 1 ] || { echo "a login to the database does not work"; exit 1; }
done
case $(try tidewell_ledger wrong-password) in
    *'password authentication failed'*) ;;
    *) echo "the database lets the ledger in without its password"; exit 1 ;;
esac
[ "$(try postgres '')" != 1 ] || { echo "the database lets its superuser in over the network"; exit 1; }
printf '%s\n' "$rules" | grep -qwE 'trust|ident' && { echo "the database lets somebody in without a password"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
echo "logins to the database need their password"
