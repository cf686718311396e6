set -eu
[ "$(redis-cli --no-auth-warning --user admin -a '{{admin_password}}' ROLE | head -n 1)" != master ] || exit 0
redis-cli --no-auth-warning --user admin -a '{{admin_password}}' CLIENT KILL USER sentinel > /dev/null
echo "$(date -u -d '-48 minutes' +%Y-%m-%dT%H:%M:%SZ) CHG-{{change}} old sessions ended" >> /var/log/redis/changes.log
