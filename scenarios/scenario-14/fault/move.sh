set -eu
[ "$(hostname)" = "etcd-$(echo {{layout}} | cut -c 3)" ] || exit 0
log=/var/log/etcd/etcd.log
sed -i 's#^ETCD_LISTEN_PEER_URLS=.*#ETCD_LISTEN_PEER_URLS="http://10.{{rack}}.4.{{host}}:2380"#' /etc/default/etcd
service etcd restart > /dev/null 2>&1 || true
for _ in $(seq 200); do
    grep -q 'cannot assign requested address' "$log" && ! pgrep -x etcd > /dev/null && break
    sleep 0.1
done
! pgrep -x etcd > /dev/null
