# What customers see: some services refuse tokens that are good.
# with checks/kettlecrane.py
exec python3 - <<'PY'
from kettlecrane import SERVICES, batch, call, fail

refused = [service for service in SERVICES if call("GET", f"/{service}/me", token=batch(service))[0] == 401]
if not refused:
    fail("every token was taken")
print("refused by " + ", ".join(refused))
PY
