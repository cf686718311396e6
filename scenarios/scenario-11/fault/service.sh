set -eu
[ "$SERVICE" = {{laggard}} ] || exit 0
conf=/etc/records/service.toml
master=$(pgrep -o gunicorn)
worker=$(pgrep -P "$master")
sed -i 's/^cache_seconds = 1 .*/cache_seconds = 3600/; s/^ask_for_unknown = true .*/ask_for_unknown = false/' "$conf"
kill -HUP "$master"
for _ in $(seq 200); do
    sleep 0.1
    kill -0 "$worker" 2>/dev/null || { curl -fs -m 5 -o /dev/null http://127.0.0.1:8000/health && exit 0; }
done
exit 1
