set -eu
conf=/etc/harbourline/gunicorn.conf.py
log=/var/log/harbourline/deploy.log
stamp() { date -u +%Y-%m-%dT%H:%M:%SZ; }

echo "$(stamp) release 4.{{release}}.0 started" >> "$log"
sed -i 's/^bind = .*/bind = "0.0.0.0:{{port}}"/' "$conf"
echo "$(stamp) updated $conf" >> "$log"
master=$(pgrep -o -f 'gunicorn --config')
kill -HUP "$master"
for _ in $(seq 100); do
    curl -fs -o /dev/null http://127.0.0.1:{{port}}/health && break
    sleep 0.1
done
curl -fs -o /dev/null http://127.0.0.1:{{port}}/health
echo "$(stamp) reloaded gunicorn, smoke test on this machine passed" >> "$log"
echo "$(stamp) release 4.{{release}}.0 finished" >> "$log"
