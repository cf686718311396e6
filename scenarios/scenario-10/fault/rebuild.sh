set -eu
zone=fernpost.internal
name={{moved}}.depots.$zone
db=/var/lib/bind/$zone.db
log=/var/log/named/named.log
before=$(getent ahostsv4 node-3 | awk 'NR == 1 { print $1 }')
after=$(dig +short @127.0.0.1 "$name" A)

place() { printf 'server 127.0.0.1\nupdate delete %s A\nupdate add %s 1 A %s\nsend\n' "$name" "$name" "$1" | nsupdate -k /etc/bind/keys/registrar.key; }
until_says() {
    for _ in $(seq 150); do
        [ "$(dig +short +time=1 +tries=1 "@$1" "$name" A)" != "$2" ] || return 0
        sleep 0.1
    done
    return 1
}

place "$before"
until_says ns2 "$before"

service named stop > /dev/null
while pgrep -x named > /dev/null; do sleep 0.05; done
named-compilezone -q -i none -o /root/zone "$zone" "$db" > /dev/null
{
    echo "; inventory export of $zone, $(wc -l < /root/zone) records, $(date -u +%FT%TZ)"
    awk '$4 == "SOA" { $7 = 1 } { print }' /root/zone
} > "$db"
rm -f /root/zone "$db.jnl"
chown bind:bind "$db"
: > "$log"
service named start > /dev/null
until_says 127.0.0.1 "$before"
place "$after"
until_says 127.0.0.1 "$after"
