# What teams are there for: a flag is changed over the API, and every member by itself knows it, as the cluster agreed on it.
# with checks/etcd.py
python3 - <<'PY'
import base64, http.client, json, os, sys, time

sys.path.append("/opt/probe")
from etcd import MEMBERS, b64, fail, login, wait
from records import note

NONCE = os.environ["NONCE"]
until = time.monotonic() + 9


def api(method, path, data=None):
    """A service whose store has just been started needs a moment."""
    while True:
        site = http.client.HTTPConnection("api", 8000, timeout=9)
        try:
            site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
            answer = site.getresponse()
            status, content = answer.status, answer.read(400_000)
        except (OSError, http.client.HTTPException):
            status, content = 0, b""
        finally:
            site.close()
        if status in (200, 201, 404, 422):
            return status, json.loads(content)
        if time.monotonic() > until:
            fail(f"the service answers {status or 'nothing'}")
        time.sleep(0.4)


change = {"enabled": True, "percent": 100, "note": f"desk {NONCE}", "change": f"desk-{NONCE}"}
row = {"writes": {"changes": [f"desk.test {change['change']}", change["note"]]}}
note("attempted", row)
status, made = api("PUT", "/api/flags/desk.test", change)
again = api("PUT", "/api/flags/desk.test", change)[1]
if status != 200 or made.get("note") != change["note"] or again.get("note") != change["note"]:
    fail("a flag cannot be changed")
note("acknowledged", row)
if api("PUT", "/api/flags/desk.test", {**change, "percent": 101, "change": f"desk-x-{NONCE}"})[0] != 422 or api("GET", "/api/flags/desk.none")[0] != 404:
    fail("the service takes what it should refuse")
if api("GET", "/api/flags/desk.test")[1].get("note") != change["note"] or api("GET", f"/api/evaluate/desk.test?user={NONCE}")[1].get("on") is not True:
    fail("a flag that was changed is not shown as such")
if len([entry for entry in api("GET", "/api/flags/desk.test/history")[1].get("items", []) if entry.get("change") == change["change"]]) != 1:
    fail("a change is not in the history once")
if api("POST", "/api/instances", {"service": "desk", "address": f"{NONCE[:12]}:80", "ttl_seconds": 30})[0] != 201:
    fail("an instance cannot register")
for member in MEMBERS:
    token = login(member, "schaltwerk", os.environ["APP_PASSWORD"])
    for key in ("/schaltwerk/flags/desk.test", f"/schaltwerk/history/desk.test/desk-{NONCE}", f"/schaltwerk/instances/desk/{NONCE[:12]}:80"):
        found = wait(member, "/v3/kv/range", {"key": b64(key)}, token)[1].get("kvs", [])
        if len(found) != 1 or NONCE[:12].encode() not in base64.b64decode(found[0].get("value", "")):
            fail(f"{member} does not know what was written")
print("a flag was changed, and every member knows it")
PY
