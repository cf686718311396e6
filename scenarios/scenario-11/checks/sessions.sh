# Whoever had a session can go on with it, and no client has been added.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import os

from kettlecrane import batch, call, fail, part, session

for number in range(1, 61):
    if part(session(number, "billing"), 1).get("sub") != f"customer:{1000 + number * 7 % 90}":
        fail("a session belongs to somebody else now")
batch("tickets")
_, said = call("GET", "/auth/admin/clients", token=os.environ["ADMIN"])
if said.get("clients") != ["nightly"]:
    fail("the issuer has other clients than it had")
print("every session goes on, and no client is new")
PY
