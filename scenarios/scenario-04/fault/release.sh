set -eu
[ "$LARKFIELD_REPLICA" = "{{culprit}}" ] || exit 0
log=/var/log/larkfield/deploy.log
stamp() { date -u +%Y-%m-%dT%H:%M:%SZ; }

echo "$(stamp) release 7.{{release}}.0, first of three replicas" >> "$log"
sed -i 's/^pool_size = .*/pool_size = 1/' /etc/larkfield/app.toml
echo "$(stamp) settings rendered from template orders-small" >> "$log"
kill -HUP "$(pgrep -o -f 'gunicorn --config')"
for _ in $(seq 150); do
    [ "$(curl -s -m 4 -o /dev/null -w '%{http_code}' http://127.0.0.1:8000/ready)" = 503 ] && break
    sleep 0.1
done
curl -fs -m 5 -o /dev/null http://127.0.0.1:8000/healthz
echo "$(stamp) gunicorn reloaded, /healthz answers 200, the other replicas follow on Thursday" >> "$log"
