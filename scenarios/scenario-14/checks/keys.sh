# Every flag that existed, with its value and its revisions, as the cluster agrees on it; hashed here.
# with checks/etcd.py
python3 - <<'PY'
import base64, hashlib, os

from etcd import MEMBERS, ask, b64, fail, login, wait

for member in MEMBERS:
    token = login(member, "root", os.environ["ROOT_PASSWORD"]) if ask(member, "/v3/cluster/member/list", {})[0] else None
    status, found = wait(member, "/v3/kv/range", {"key": b64("/"), "range_end": b64("0")}, token) if token else (0, {})
    if status == 200:
        break
else:
    fail("the flags cannot be read")
if int(found["header"]["revision"]) < int(os.environ.get("REVISION", "0").split()[-1]):
    fail("the cluster is at an earlier revision than it was")
live = ("/schaltwerk/flags/desk.", "/schaltwerk/flags/release.", "/schaltwerk/history/", "/schaltwerk/instances/", "/ops/check/")
rows = sorted(" ".join((entry["key"], entry.get("value", ""), entry["create_revision"], entry["mod_revision"], entry["version"]))
              for entry in found.get("kvs", []) if not base64.b64decode(entry["key"]).decode().startswith(live))
print(f"{len(rows)} flags and settings, {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()[:32]}")
PY
