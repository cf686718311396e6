# Settings are for administrators.
set -u
set --
for url in http://api:8000/admin/settings http://batch:8000/admin/settings; do
    for token in "Bearer wrong" "Bearer" "Basic YWRtaW46YWRtaW4="; do
        set -- "$@" -s -m 10 -o /dev/null -w '%{http_code} ' -H "Authorization: $token" -H 'Content-Type: application/json' -X PUT -d '{"note": "x"}' "$url" --next
    done
    set -- "$@" -s -m 10 -o /dev/null -w '%{http_code} ' "$url" --next
done
statuses=$(curl "$@" -s -m 10 -o /dev/null http://api:8000/health)
[ "$statuses" = "401 401 401 401 401 401 401 401 " ] || { echo "strangers who asked for settings were answered with $statuses"; exit 1; }
echo "settings are for administrators"
