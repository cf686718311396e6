set -eu
install -d -m 0700 /root/handover
cat > /root/handover/CHG-{{change}}.txt <<'T'
For operations. Delete after use.
redis, account sentinel: {{new_watch_password}}
redis, account replica:  {{new_replica_password}}
T
chmod 0600 /root/handover/CHG-{{change}}.txt
