set -eu
log=/var/log/postgresql/postgresql-15-main.log
changes=/var/log/postgresql/changes.log
say() { echo "$(date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} $2" >> "$changes"; }
admin() { setpriv --reuid=postgres --regid=postgres --init-groups psql -q -X -A -t -d velodepot "$@"; }
refusals() { grep -c 'password authentication failed for user "{{role}}"' "$log" || true; }

install -d -m 0700 /etc/velodepot/secrets
(umask 077; printf '%s\n' '{{new_password}}' > /etc/velodepot/secrets/{{role}})
before=$(refusals)
admin -c "ALTER ROLE {{role}} PASSWORD '{{new_password}}'"
say '-26 hours' 'passwords of technical accounts, every 90 days: {{role}}'
say '-26 hours' 'new password set on db, deposited in /etc/velodepot/secrets'
say '-26 hours' 'sessions of {{role}} ended, {{role}} logs in with the new password from now on'
admin -c "SELECT pg_terminate_backend(pid) FROM pg_stat_replication" > /dev/null
for _ in $(seq 100); do
    [ "$(refusals)" -gt "$before" ] && break
    sleep 0.2
done
[ "$(refusals)" -gt "$before" ]
