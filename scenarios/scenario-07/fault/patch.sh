set -eu
[ "$(redis-cli --no-auth-warning --user admin -a '{{admin_password}}' ROLE | head -n 1)" = master ] || exit 0
log=/var/log/redis/changes.log
admin() { redis-cli --no-auth-warning --user admin -a '{{admin_password}}' "$@"; }
admin CLIENT KILL USER sentinel > /dev/null
admin CLIENT KILL USER replica > /dev/null
echo "$(date -u -d '-48 minutes' +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} old sessions ended" >> "$log"
end=$(($(date +%s) + 5))
while [ "$(date +%s)" -lt "$end" ]; do
    admin INFO replication | grep -q 'connected_slaves:0' && break
    sleep 0.3
done
echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) CHG-{{patch}} new kernel for this machine: redis stopped, another one takes over" >> "$log"
sv -w 6 stop redis > /dev/null || sv force-stop redis > /dev/null || true
end=$(($(date +%s) + 6))
while [ "$(date +%s)" -lt "$end" ]; do
    grep -q 'failover-abort' /var/log/redis/redis-sentinel.log && break
    sleep 0.4
done
