#!/bin/sh
# Runit in the foreground. Passwords are for the receiver's eyes only: libpq refuses
# to read them otherwise.
set -eu

# The group may read: monitoring watches what arrives.
install -d -o postgres -g root -m 2750 /srv/archive
install -d -o postgres -g postgres -m 0755 /var/log/archive
if [ -e /etc/archive/pgpass ]; then
    chown postgres:postgres /etc/archive/pgpass
    chmod 0600 /etc/archive/pgpass
fi
install -d /etc/service
ln -sfn /etc/sv/wal /etc/service/wal
# What a killed machine left behind.
rm -rf /etc/sv/wal/supervise /etc/sv/wal/log/supervise

stop() {
    sv -w 5 force-shutdown /etc/service/wal > /dev/null || true
    kill -HUP "$runit"
    exit 0
}
trap stop TERM INT
runsvdir -P /etc/service &
runit=$!
while :; do
    wait "$runit" || true
    kill -0 "$runit" 2> /dev/null || exit 1
done
