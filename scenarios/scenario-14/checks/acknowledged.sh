# What teams were told is done, shortly before everything stopped, is done; and time does not run backwards.
# with checks/etcd.py
python3 - <<'PY'
import base64, json, os

from etcd import MEMBERS, ask, b64, fail, login, wait

for member in MEMBERS:
    token = login(member, "root", os.environ["ROOT_PASSWORD"]) if ask(member, "/v3/cluster/member/list", {})[0] else None
    status, found = wait(member, "/v3/kv/range", {"key": b64("/schaltwerk/"), "range_end": b64("/schaltwerk0")}, token) if token else (0, {})
    if status == 200:
        break
else:
    fail("the flags cannot be read")
if int(found["header"]["revision"]) < int(os.environ["REVISION"].split()[-1]):
    fail("the cluster is at an earlier revision than it was")
held = {base64.b64decode(entry["key"]).decode(): base64.b64decode(entry.get("value", "")).decode() for entry in found.get("kvs", [])}
told = json.load(open("/var/tmp/told.json")) if os.path.exists("/var/tmp/told.json") else {}  # nothing was told where nothing broke
missing = [name for name, note in told.items()
           if f'"{note}"' not in held.get(f"/schaltwerk/flags/{name}", "") or f'"{note}"' not in held.get(f"/schaltwerk/history/{name}/{note}", "")]
if missing:
    fail(f"{len(missing)} of {len(told)} changes that teams were told are done are not there")
print("every change that was acknowledged is there")
PY
