set -eu
[ "$(hostname)" = "etcd-$(echo {{layout}} | cut -c 1)" ] || exit 0
log=/var/log/etcd/etcd.log
service etcd stop > /dev/null 2>&1
rm -rf /var/lib/etcd/default
for _ in 1 2 3 4; do
    service etcd start > /dev/null 2>&1 || true
    for _ in $(seq 60); do
        grep -q 'has already been bootstrapped' "$log" && break 2
        pgrep -x etcd > /dev/null || break
        sleep 0.1
    done
    sleep 0.5
done
for _ in $(seq 50); do
    pgrep -x etcd > /dev/null || break
    sleep 0.1
done
grep -q 'has already been bootstrapped' "$log" && ! pgrep -x etcd > /dev/null
