# Teams change flags while one member is away, and are told that it is done. What they were told is kept in the probe.
python3 - <<'PY'
import http.client, json, os, secrets, sys, time

LEDGER = "/var/tmp/told.json"
until = time.monotonic() + 17
names = [f"release.{name}" for name in ("freeze", "canary", "rollback", "shadow", "drain", "mirror")]
told = json.load(open(LEDGER)) if os.path.exists(LEDGER) else {name: f"rel-{secrets.token_hex(6)}" for name in names}
for number, (name, note) in enumerate(told.items()):
    while True:
        site = http.client.HTTPConnection("api", 8000, timeout=9)
        try:
            site.request("PUT", f"/api/flags/{name}", json.dumps({"enabled": number % 2 == 0, "percent": 100, "note": note, "change": note}), {"Content-Type": "application/json"})
            answer = site.getresponse()
            done = answer.status == 200 and json.loads(answer.read())["note"] == note
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            done = False
        finally:
            site.close()
        if done:
            break
        if time.monotonic() > until:
            print("flags cannot be changed")
            sys.exit(1)
        time.sleep(0.3)
json.dump(told, open(LEDGER, "w"))
print("teams were told that their changes are done")
PY
