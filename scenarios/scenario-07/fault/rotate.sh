set -eu
log=/var/log/redis/changes.log
say() { echo "$(date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} $2" >> "$log"; }
redis-cli --no-auth-warning --user admin -a '{{admin_password}}' > /tmp/.out <<'R'
ACL SETUSER sentinel resetpass >{{new_watch_password}}
ACL SETUSER replica resetpass >{{new_replica_password}}
ACL SAVE
R
[ "$(grep -c OK /tmp/.out)" = 3 ]
rm /tmp/.out
say '-50 minutes' 'passwords of technical accounts: sentinel, replica'
say '-50 minutes' 'set in the access list of this machine and saved; handed over to operations'
