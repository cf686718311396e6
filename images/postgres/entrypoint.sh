#!/bin/bash
# Start PostgreSQL as the user "postgres" and log to a file and to stderr.
#
# First start: /srv/db/init/*.sql run in the order of their names, as superuser over
# the local socket, while the server does not listen on the network yet. A marker
# beside the data makes sure that this happens once. They hold passwords, so nobody
# but the server may read them.
# SIGTERM and SIGINT: fast shutdown (clients are disconnected, nothing is lost).
# SIGHUP: reload.
set -euo pipefail

readonly CONFIG=/etc/postgresql/15/main/postgresql.conf
readonly DATA=/var/lib/postgresql/15/main
readonly MARKER=/var/lib/postgresql/15/initialised
readonly LOG=/var/log/postgresql/postgresql-15-main.log

server=
stopping=

say() { printf '%s [entrypoint] %s\n' "$(date -u '+%F %T.%3N UTC')" "$*" >&2; }
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; }

run_init_files() {
    local options="-c config_file=$CONFIG -c listen_addresses=''" status=0 file
    for file in /srv/db/init/*.sql; do
        [ ! -e "$file" ] || { chown root:postgres "$file" && chmod 0640 "$file"; }
    done
    as_postgres pg_ctl start --silent --pgdata "$DATA" --options "$options"
    for file in /srv/db/init/*.sql; do
        [ -e "$file" ] || continue
        say "running $file"
        as_postgres psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --dbname postgres --file "$file" > /dev/null ||
            { status=1; say "$file failed"; break; }
    done
    as_postgres pg_ctl stop --silent --mode fast --pgdata "$DATA"
    [ "$status" = 0 ] && as_postgres touch "$MARKER"
}

stop() {
    stopping=yes
    [ -z "$server" ] || kill -INT "$server"
}

# The last lines have to reach the file before the container ends.
flush_log() {
    exec > /dev/null 2>&1 3>&-
    wait "$logger" || true
}

if pgrep --exact postgres > /dev/null; then
    say 'a server is already running'
    exit 1
fi
# So a lock file is what a killed server left behind; its process id may by now
# belong to something else.
rm -f "$DATA/postmaster.pid" /run/postgresql/.s.PGSQL.*
install -d -o postgres -g postgres -m 2775 /run/postgresql

exec 3>&2
exec > >(exec tee --append "$LOG" >&3) 2>&1
logger=$!
trap flush_log EXIT
trap stop TERM INT
trap '[ -z "$server" ] || kill -HUP "$server"' HUP

[ -e "$MARKER" ] || run_init_files
[ -z "$stopping" ] || exit 0

# Not as_postgres: the process in the background has to be the server itself.
setpriv --reuid=postgres --regid=postgres --init-groups -- \
    postgres -D "$DATA" -c config_file="$CONFIG" 3>&- &
server=$!
[ -z "$stopping" ] || stop

# A trapped signal ends "wait" early: go on until the server itself has ended.
while
    status=0
    wait "$server" || status=$?
    kill -0 "$server" 2> /dev/null
do :; done
exit "$status"
