set -eu
[ "$(hostname)" = {{first}} ] || exit 0
log=/var/log/redis/changes.log
admin() { redis-cli --no-auth-warning --user admin -a '{{admin_password}}' "$@"; }
admin CLIENT KILL USER sentinel > /dev/null
admin CLIENT KILL USER replica > /dev/null
echo "$(date -u -d '-48 minutes' +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} old sessions ended" >> "$log"
for _ in $(seq 100); do
    admin INFO replication | grep -q 'connected_slaves:0' && break
    sleep 0.1
done
echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) CHG-{{patch}} new kernel for this machine: redis stopped, another one takes over" >> "$log"
sv -w 8 stop redis > /dev/null
for _ in $(seq 100); do
    grep -q 'failover-abort' /var/log/redis/redis-sentinel.log && break
    sleep 0.2
done
