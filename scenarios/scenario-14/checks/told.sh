# Teams change flags while one member is away, and are told that it is done.
python3 - <<'PY'
import http.client, json, secrets, sys, time

sys.path.append("/opt/probe")
from records import note

rows, until = [], time.monotonic() + 17
names = [f"release.{name}" for name in ("freeze", "canary", "rollback", "shadow", "drain", "mirror")]
for number, name in enumerate(names):
    change = f"rel-{secrets.token_hex(6)}"
    rows += [{"writes": {"changes": [key, change]}} for key in (f"{name} {change}", f"now {name} {change}")]
    note("attempted", rows[-2])
    note("attempted", rows[-1])
    while True:
        site = http.client.HTTPConnection("api", 8000, timeout=9)
        try:
            site.request("PUT", f"/api/flags/{name}", json.dumps({"enabled": number % 2 == 0, "percent": 100, "note": change, "change": change}), {"Content-Type": "application/json"})
            answer = site.getresponse()
            done = answer.status == 200 and json.loads(answer.read())["note"] == change
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
for row in rows:
    note("acknowledged", row)
print("teams were told that their changes are done")
PY
