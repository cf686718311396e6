set -eu
conf=/etc/issuer/issuer.toml
at=http://127.0.0.1:8000/auth
sed -i 's/^grace_seconds = 4 /grace_seconds = 0 /' "$conf"
kill -HUP "$(pgrep -o gunicorn)"
for _ in $(seq 100); do
    sleep 0.2
    curl -fs -m 5 -o /dev/null -X POST -H "Authorization: Bearer $ISSUER_ADMIN_SECRET" "$at/admin/rotate" || continue
    [ "$(curl -fs -m 5 "$at/.well-known/jwks.json" | grep -o '"kid"' | wc -l)" != 1 ] || exit 0
done
exit 1
