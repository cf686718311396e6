# A key is rotated: both are good for as long as was agreed, and then the old one is worth nothing anywhere.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import time

from kettlecrane import GRACE, SERVICES, batch, call, changed, fail, good, rotate


def attempt():
    began, old, kids = rotate()
    if not good(old, began):
        return False
    since, token, new = changed(kids)
    if not good(new, since):
        return False
    over = time.monotonic() + GRACE
    time.sleep(GRACE + 0.4)
    for service, token in old.items():
        while call("GET", f"/{service}/me", token=token)[0] != 401:
            if time.monotonic() > over + 8:
                fail("a service takes a key whose time is over")
            time.sleep(0.4)
    status, said = call("GET", "/auth/.well-known/jwks.json")
    listed = [key.get("kid") for key in said.get("keys", []) if isinstance(key, dict)]
    if not listed or kids & set(listed):
        fail("the issuer's key set is not what it should be after a rotation")
    since = time.monotonic()
    return good({service: batch(service) for service in SERVICES}, since)


if not any(attempt() for _ in range(2)):
    fail("the services are too slow to use a token while it is good")
print("a rotation lost no token, and ended the old key")
PY
