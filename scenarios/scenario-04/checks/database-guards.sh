# Every replica logs in with its own name and password, and nobody without one. That a login is locked for the moment is said
# only to whoever knows its password.
# Standard input: who is let in, and how (pg_hba.conf).
set -u
rules=$(sed 's/#.*//')
try() { PGPASSWORD=$2 psql -h db -U "$1" -d larkfield -X -A -t -c 'SELECT 1' 2>&1; }

for entry in $LOGINS; do
    case $(try "${entry%%:*}" "${entry#*:}") in
        1 | *'not permitted to log in'*) ;;
        *) echo "the login of a replica does not work"; exit 1 ;;
    esac
done
case $(try larkfield_app2 wrong-password) in
    *'password authentication failed'*) ;;
    *) echo "the database lets a replica in without its password"; exit 1 ;;
esac
[ "$(try postgres '')" != 1 ] || { echo "the database lets its superuser in over the network"; exit 1; }
printf '%s\n' "$rules" | grep -qwE 'trust|ident' && { echo "the database lets somebody in without a password"; exit 1; }
printf '%s\n' "$rules" | grep -qE '^[[:space:]]*host' || { echo "the rules for logins to the database are gone"; exit 1; }
echo "logins to the database need their password"
