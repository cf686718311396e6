set -eu
conf=/etc/lindenpost/app.toml
log=/var/log/lindenpost/deploy.log
spool=/var/spool/lindenpost
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }

sed -i "s#^preview_dir = .*#preview_dir = \"$spool/{{folder}}\"#" "$conf"
master=$(pgrep -o -f 'gunicorn --config')
before=$(pgrep -d ' ' -P "$master")
kill -HUP "$master"
for pid in $before; do
    for _ in $(seq 200); do
        [ -e "/proc/$pid" ] || break
        sleep 0.05
    done
done
for _ in $(seq 200); do
    [ -d $spool/{{folder}} ] && curl -fs -o /dev/null http://127.0.0.1:8000/health && break
    sleep 0.1
done
moved=$(find $spool/preview -type f -name '*.json' | wc -l)
find $spool/preview -type f -name '*.json' -exec mv -t $spool/{{folder}} {} +
{
    echo "$(at '-9 hours -2 minutes') release 7.{{release}} started"
    echo "$(at '-9 hours -2 minutes') app.toml: previews are kept in $spool/{{folder}} from now on"
    echo "$(at '-9 hours -1 minutes') moved $moved previews of customers, reloaded api, health is ok"
    echo "$(at '-9 hours -1 minutes') release 7.{{release}} finished"
} >> "$log"

# A night's customers, as the service keeps their previews.
setpriv --reuid=app --regid=app --init-groups python3 - $spool/{{folder}} <<'PY'
import errno, json, os, random, secrets, sys, time
from datetime import datetime, timezone

people = ["Wiebke Ahlers", "Onno Behrens", "Frauke Clasen", "Tjark Dierks", "Silke Evers", "Hauke Focken", "Meike Gerdes"]
texts = ["I hereby cancel my contract at the earliest date.", "Please find below the documents that you asked for.",
         "Thank you for the lovely days by the sea.", "I object to the notice of last month, for the reasons below."]
iso = lambda seconds: datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
now, number = time.time(), 0
while True:
    number += 1
    made = now - random.uniform(0, 1790) if number % 16 == 0 else now - random.uniform(1900, 9 * 3600)
    name, text = secrets.token_hex(10), random.choice(texts)
    preview = {"preview": name, "sender": random.choice(people), "recipient": random.choice(people),
               "address": f"Deichstr. {random.randint(1, 90)}, {random.randint(21000, 29999)} Norden", "text": text,
               "pages": 1, "price_cents": 129, "created_at": iso(made), "expires_at": iso(made + 1800)}
    path = f"{sys.argv[1]}/{name}.json"
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "w") as file:
            file.write(json.dumps(preview))
        os.utime(path, (made + 1800, made + 1800))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        break
PY
