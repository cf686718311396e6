#!/bin/sh
# A machine with an etcd member on it. The machine runs on when etcd ends:
# "service etcd start" begins it again. The init script tells its daemon from others by
# what it executes, and needs the capability SYS_PTRACE to see that.
#
# /etc/etcd/first-start.sh, where it exists, runs once, beside the member, and is gone
# afterwards.
set -eu

readonly LOG=/var/log/etcd/etcd.log
readonly FIRST=/etc/etcd/first-start.sh

stop() {
    service etcd stop || true
    while pgrep -x etcd > /dev/null; do sleep 0.05; done
    exit 0
}

# What the last run left behind; its process id may by now belong to something else.
rm -f /run/etcd.pid
install -d -o etcd -g etcd -m 0700 /var/lib/etcd
install -d -o etcd -g etcd -m 0755 /var/log/etcd
[ -e "$LOG" ] || install -o etcd -g etcd -m 0640 /dev/null "$LOG"

trap stop TERM INT
service etcd start || true
if [ -e "$FIRST" ]; then
    { sh "$FIRST" && rm -f "$FIRST"; } > /dev/null 2>&1 &
fi

tail -q -n 0 -F "$LOG" 2>/dev/null &
while :; do
    wait "$!" || true
done
