# Logins need their password, and the service may do what it could do before and no more.
set -u
try() { PGPASSWORD=$2 PGCONNECT_TIMEOUT=4 psql -h db -U "$1" -d harbourline -X -A -t -c "$3" 2>/dev/null; }

try harbourline_app "$APP_PASSWORD" 'SELECT 1' >/dev/null || { echo "the service's own login does not work"; exit 1; }
try harbourline_app wrong-password 'SELECT 1' >/dev/null && { echo "the database lets the service in without its password"; exit 1; }
try postgres '' 'SELECT 1' >/dev/null && { echo "the database lets its superuser in over the network"; exit 1; }
rights=$(try harbourline_app "$APP_PASSWORD" "
    SELECT concat_ws(',',
        (SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = 'harbourline_app'),
        pg_catalog.pg_has_role('harbourline_app', 'harbourline_owner', 'member'),
        pg_catalog.has_table_privilege('public.bookings', 'DELETE'),
        pg_catalog.has_table_privilege('public.bookings', 'TRUNCATE'),
        pg_catalog.has_table_privilege('public.payments', 'UPDATE'))")
[ "$rights" = f,f,f,f,f ] || { echo "the service has other rights in the database than before"; exit 1; }
echo "logins and rights in the database are as before"
