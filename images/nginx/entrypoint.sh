#!/bin/sh
# nginx refuses to start while the host name of an upstream does not resolve. When a
# whole stack starts at once, a name may appear a moment later: wait for that, and for
# nothing else. Any other fault in the configuration is reported by nginx at once.
set -eu

deadline=$(($(date +%s) + ${NGINX_RESOLVE_TIMEOUT:-60}))

while ! report=$(nginx -t -q 2>&1); do
    case $report in
        *'host not found in upstream'*) ;;
        *) break ;;
    esac
    [ "$(date +%s)" -lt "$deadline" ] || break
    sleep 0.2
done

exec "$@"
