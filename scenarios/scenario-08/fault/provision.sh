set -eu
log=/var/log/mosquitto/provision.log
broker_log=/var/log/mosquitto/mosquitto.log
say() { echo "$(date -u +%Y-%m-%dT%H:%M:%S) CHG-{{change}} $*" >> "$log"; }
reloads() { grep -c 'Reloading config' "$broker_log" || true; }

before=$(reloads)
say "naming of devices, part 1 of 3: {{class}}"
sed -i 's/^{{class}}-/{{prefix}}-{{class}}-/' /etc/mosquitto/passwd
say "accounts renamed: $(grep -c '^{{prefix}}-' /etc/mosquitto/passwd)"
sed -i 's/^user {{class}}-/user {{prefix}}-{{class}}-/; s#^\(topic .*\)/{{class}}-#\1/{{prefix}}-{{class}}-#' /etc/mosquitto/acl
say "access lists renamed: $(grep -c '^user {{prefix}}-' /etc/mosquitto/acl)"
service mosquitto reload > /dev/null
for _ in $(seq 150); do
    [ "$(reloads)" -gt "$before" ] && break
    sleep 0.1
done
[ "$(reloads)" -gt "$before" ]
say "broker reloaded without errors, parts 2 and 3 follow next week"
