set -eu
log=/var/log/rabbitmq/changes.log
file=/etc/rabbitmq/definitions.json
say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} $*" >> "$log"; }

say "names get the prefix {{prefix}}: policies first, queues next week"
sed -i 's/"pattern": "^orders/"pattern": "^{{prefix}}\\\\.orders/' "$file"
policy=$(jq -c '.policies[0] | {pattern, definition, priority, "apply-to": ."apply-to"}' "$file")
curl -fs -m 10 -u 'oncall:{{oncall_mq_password}}' -X PUT -H 'Content-Type: application/json' -d "$policy" \
    http://127.0.0.1:15672/api/policies/tidewell/undeliverable
say "1 policy updated, broker healthy, no alarms"
