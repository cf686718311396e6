set -eu
log=/var/log/tidewell/changes.log
say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*" >> "$log"; }

say "night shift: since CHG-{{change}} a message that is rejected is gone, orders.dead stays empty"
sed -i 's/^action = .*/action = "requeue"/' /etc/tidewell/worker.toml
pkill -HUP -o -f 'python3 -m tidewell.worker'
say "night shift: set to requeue for now, so that nothing gets lost; day shift please have a look"
