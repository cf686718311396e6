#!/bin/sh
# A machine with BIND on it. The machine runs on when the server ends: "service named
# start" begins it again. Zones belong to the server, keys are for its eyes only.
set -eu

readonly LOG=/var/log/named/named.log

stop() {
    service named stop > /dev/null 2>&1 || true
    while pgrep -x named > /dev/null; do sleep 0.05; done
    exit 0
}

# What the last run left behind; its process id may by now belong to something else.
rm -f /run/named/named.pid
install -d -o root -g bind -m 0775 /run/named
install -d -o bind -g bind -m 0755 /var/log/named
[ -e /etc/bind/rndc.key ] || rndc-confgen -a -u bind > /dev/null 2>&1
chown -R bind:bind /var/lib/bind
for key in /etc/bind/keys/*; do
    [ ! -f "$key" ] || { chown root:bind "$key"; chmod 0640 "$key"; }
done

trap stop TERM INT
service named start || true

tail -q -n 0 -F "$LOG" 2>/dev/null &
while :; do
    wait "$!" || true
done
