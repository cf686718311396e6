# A record for each service, by a job, before anything happened.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import os

from kettlecrane import SERVICES, batch, call, fail

found = []
for service in SERVICES:
    text = f"ledger-{os.urandom(8).hex()}-{service}"
    status, said = call("POST", f"/{service}/records", token=batch(service), body={"text": text})
    if status != 201:
        fail(f"{service} answered {status}")
    found.append(f"{service}:{said['id']}:{text}")
print(" ".join(found))
PY
