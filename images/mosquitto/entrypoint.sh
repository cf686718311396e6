#!/bin/sh
# A machine with a Mosquitto broker on it. The machine runs on when the broker ends:
# "service mosquitto start" begins it again.
#
# /etc/mosquitto/accounts.import, where it exists, holds one name:password a line. It
# becomes the password file, hashed, and is gone afterwards.
set -eu

readonly LOG=/var/log/mosquitto/mosquitto.log
readonly ACCOUNTS=/etc/mosquitto/accounts.import

stop() {
    service mosquitto stop || true
    while pgrep -x mosquitto > /dev/null; do sleep 0.05; done
    exit 0
}

# What the last run left behind; its process id may by now belong to something else.
rm -f /run/mosquitto.pid /run/mosquitto/*.pid
install -d -o mosquitto -g mosquitto -m 0740 /run/mosquitto
install -d -o mosquitto -g mosquitto -m 0755 /var/lib/mosquitto /var/log/mosquitto

if [ -e "$ACCOUNTS" ]; then
    chmod 0600 "$ACCOUNTS"
    mosquitto_passwd -U "$ACCOUNTS"
    install -o root -g mosquitto -m 0640 "$ACCOUNTS" /etc/mosquitto/passwd
    rm "$ACCOUNTS"
fi

trap stop TERM INT
service mosquitto start || true

tail -q -n 0 -F "$LOG" 2>/dev/null &
while :; do
    wait "$!" || true
done
