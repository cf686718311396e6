#!/bin/sh
# Runit in the foreground. Redis and its sentinel rewrite their own configuration, so
# it belongs to them.
#
# First start: REDIS_MASTER names the machine that begins as master, REDIS_REPLICAS
# those that follow it (its own name among them does no harm), REDIS_GROUP what the sentinels call them together. Every machine
# then finds its place: who is not the master follows it, and every sentinel watches
# all. Afterwards both files are what the running programs make of them.
#
# SENTINEL_PERIODS: clocks of the sentinel that its configuration cannot hold (sv/sentinel/run).
set -eu

readonly MARKER=/var/lib/redis/.placed

address() {
    until found=$(getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }') && [ -n "$found" ]; do sleep 0.1; done
    echo "$found"
}

install -d -o redis -g redis -m 2750 /etc/redis /var/lib/redis
install -d -o redis -g adm -m 2750 /var/log/redis

if [ ! -e "$MARKER" ]; then
    master=$(address "$REDIS_MASTER")
    if [ "$(hostname)" != "$REDIS_MASTER" ]; then
        echo "replicaof $master 6379" >> /etc/redis/redis.conf
    fi
    sed -i "s/^sentinel monitor $REDIS_GROUP [^ ]*/sentinel monitor $REDIS_GROUP $master/" /etc/redis/sentinel.conf
    for name in $REDIS_REPLICAS; do
        [ "$name" = "$REDIS_MASTER" ] || echo "sentinel known-replica $REDIS_GROUP $(address "$name") 6379" >> /etc/redis/sentinel.conf
    done
    touch "$MARKER"
fi
chown redis:redis /etc/redis/*
chmod 0640 /etc/redis/*

for name in redis sentinel; do
    ln -sfn "/etc/sv/$name" "/etc/service/$name"
    rm -rf "/etc/sv/$name/supervise" # what a killed machine left behind
done

stop() {
    sv -w 6 force-stop /etc/service/redis /etc/service/sentinel > /dev/null || true
    kill -HUP "$runit"
    exit 0
}
trap stop TERM INT
runsvdir -P /etc/service > /dev/null 2>&1 &
runit=$!
while :; do
    wait "$runit" || true
    kill -0 "$runit" 2> /dev/null || exit 1
done
