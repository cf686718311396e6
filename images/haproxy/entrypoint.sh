#!/bin/bash
# Start HAProxy as master and worker; a SIGUSR2 to the master reloads the configuration.
# What it says goes to standard output and to a file.
#
# HAProxy refuses to start while the name of a server does not resolve. When a whole
# stack starts at once, a name may appear a moment later: wait for that, and for nothing
# else. Any other fault in the configuration is reported by HAProxy at once.
set -eu

deadline=$((SECONDS + 60))
while ! report=$(haproxy -c -q -f /etc/haproxy/haproxy.cfg 2>&1); do
    case $report in
        *'could not resolve address'*) ;;
        *) break ;;
    esac
    [ "$SECONDS" -lt "$deadline" ] || break
    sleep 0.2
done

install -d -o haproxy -g haproxy -m 0755 /run/haproxy
# tee is no child of HAProxy: the master waits for every child before it ends, and tee would wait for the master.
exec > >(tee --append /var/log/haproxy.log <&0 &) 2>&1
exec "$@"
