# Customers and jobs use the three services, while a key is rotated: no good token is refused.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import os, time

from kettlecrane import GRACE, SERVICES, batch, call, changed, fail, good, rotate, session


def attempt():
    began, old, kids = rotate()
    if not good(old, began):
        return False
    since, _, new = changed(kids)
    time.sleep(1.3)  # nobody uses a copy of the key set for so long
    if not good(old, began) or not good(new, since):
        return False
    for number, service in enumerate(SERVICES):
        asked, text = time.monotonic(), f"{os.environ['NONCE']} {service}"
        token = batch(service)
        status, made = call("POST", f"/{service}/records", token=token, body={"text": text})
        _, found = call("GET", f"/{service}/records/{made.get('id')}", token=token)
        _, before = call("GET", f"/{service}/records/{RECORDS[service][0]}", token=token)
        if (status, found.get("text"), before.get("text")) != (201, text, RECORDS[service][1]):
            return fail(f"records of {service} cannot be written and read") if time.monotonic() - asked < GRACE - 0.3 else False
        person = 7 + 13 * number
        asked = time.monotonic()
        status, said = call("GET", f"/{service}/me", token=session(person, service))
        if (status, said.get("subject")) != (200, f"customer:{1000 + person * 7 % 90}"):
            return fail(f"a service answered {status} to a customer") if time.monotonic() - asked < GRACE - 1.3 else False
    return True


RECORDS = {entry.split(":")[0]: entry.split(":")[1:] for entry in os.environ["RECORDS"].split()}
if not any(attempt() for _ in range(4)):
    fail("the services are too slow to use a token while it is good")
print("customers and jobs are served by all three services, while keys change")
PY
