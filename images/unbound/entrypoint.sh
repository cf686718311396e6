#!/bin/sh
# A machine with Unbound on it. The machine runs on when the resolver ends: "service
# unbound start" begins it again.
set -eu

readonly LOG=/var/log/unbound/unbound.log

stop() {
    service unbound stop > /dev/null 2>&1 || true
    while pgrep -x unbound > /dev/null; do sleep 0.05; done
    exit 0
}

# What the last run left behind; its process id may by now belong to something else.
rm -f /run/unbound.pid
install -d -o unbound -g unbound -m 0755 /var/log/unbound

trap stop TERM INT
service unbound start || true

tail -q -n 0 -F "$LOG" 2>/dev/null &
while :; do
    wait "$!" || true
done
