set -eu
log=/var/log/ferngiro/deploy.log
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }

sed -i 's/^mode = .*/mode = "fork"/' /etc/ferngiro/worker.toml
sed -i 's/^autostart=true/autostart=false/' /etc/supervisor/conf.d/ferngiro.conf
supervisorctl stop receipts >/dev/null
pkill -TERM -f 'ferngiro.post post-' || true
{
    echo "$(at '-50 minutes') release 3.{{release}}: receipts.mode is fork, so that merchants hear of a booking at once"
    echo "$(at '-50 minutes') release 3.{{release}}: program receipts is not needed any more, stopped and taken out of autostart"
    echo "$(at '-50 minutes') release 3.{{release}}: test payout booked, receipt made, done"
} >> "$log"
setpriv --reuid=app --regid=app --init-groups sh -c 'umask 027
    echo "pid={{old_pid}} host=worker program=journald-1.9" > /var/lib/ferngiro/journal/journal.lock
    touch -d "-{{old_days}} days" /var/lib/ferngiro/journal/journal.lock'

order=0
pay() {
    order=$((order + 1))
    curl -fs -m 5 -o /dev/null http://api:8000/api/payouts -H 'Content-Type: application/json' \
        -d "{\"reference\": \"night-{{batch}}-$order\", \"merchant\": \"Radhaus Nord\", \"iban\": \"DE44200410100532013000\", \"amount_cents\": $((1900 + order * 7))}"
}
caught() {
    for pid in $(pgrep -x receipts); do
        grep -qs '^State:.*stopped' "/proc/$pid/status" && ls -l "/proc/$pid/fd" 2>/dev/null | grep -q journal.lck && return 0
        kill -CONT "$pid" 2>/dev/null || true
    done
    return 1
}

# Merchants order, until a copy of the journal is made at the moment in which a receipt is.
for try in $(seq 400); do
    [ $((try % 8)) = 1 ] && pay
    pkill -STOP -x receipts && caught && break
    sleep 0.02
done
caught
for _ in 1 2 3 4; do pay; done
