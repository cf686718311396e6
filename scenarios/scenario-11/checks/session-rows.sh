# Every session that there is, a row each.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import json, os

from kettlecrane import call, fail

status, said = call("GET", "/auth/admin/sessions", token=os.environ["ADMIN"])
if status != 200:
    fail("the sessions cannot be listed")
for row in said.get("sessions", []):
    print(json.dumps([str(row.get(name)) for name in ("id", "subject", "device", "begun")]))
PY
