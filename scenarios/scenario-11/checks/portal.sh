# Customers and jobs use the three services, while a key is rotated: no good token is refused.
exec python3 - <<'PY'
import base64, hashlib, hmac, http.client, json, os, sys, time

GRACE = 4
SERVICES = ("documents", "billing", "tickets")


def fail(message):
    print(message)
    sys.exit(1)


def call(method, path, token=None, body=None):
    """The gateway's answer: (status, what it says); 0 when there is none."""
    connection = http.client.HTTPConnection("gateway", 80, timeout=9)
    headers = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Content-Type": "application/json"}
    try:
        connection.request(method, path, body and json.dumps(body), headers | ({"Authorization": token if " " in token else f"Bearer {token}"} if token else {}))
        answer = connection.getresponse()
        said = json.loads(answer.read(262144))
        return answer.status, said if isinstance(said, dict) else {}
    except (OSError, ValueError, http.client.HTTPException):
        return 0, {}
    finally:
        connection.close()


def batch(service, **more):
    status, said = call("POST", "/auth/token", body={"grant_type": "client_credentials", "client_id": "nightly", "client_secret": os.environ["BATCH"], "audience": service, **more})
    return str(said.get("access_token")) if status == 200 else fail(f"a batch job's request for a token was answered with {status}")


def session(number, service):
    refresh = hmac.new(os.environ["SESSIONS"].encode(), b"%d" % number, "sha256").hexdigest()
    status, said = call("POST", "/auth/token", body={"grant_type": "refresh_token", "refresh_token": refresh, "audience": service})
    return str(said.get("access_token")) if status == 200 else fail(f"a customer's session was answered with {status}")


def part(token, index):
    try:
        text = token.split(".")[index]
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, IndexError):
        fail("the issuer hands out something that is no token")


def rotate():
    """Tokens from before, at least one for each service; a new key; and when it was seen to sign."""
    began = time.monotonic()
    old = {service: batch(service) for service in SERVICES}
    kids = {part(token, 0).get("kid") for token in old.values()}
    status, _ = call("POST", "/auth/admin/rotate", token=os.environ["ADMIN"])
    if status != 201:
        fail(f"a rotation was answered with {status}")
    return began, old, kids


def changed(kids):
    """Tokens of the new key, when there are any, and since when."""
    deadline = time.monotonic() + 6
    while time.monotonic() < deadline:
        asked = time.monotonic()
        token = batch(SERVICES[0])
        if part(token, 0).get("kid") not in kids:
            return asked, token, {service: batch(service) for service in SERVICES}
        time.sleep(0.2)
    fail("a rotation changes nothing: the same key goes on signing")


def good(tokens, since):
    """False when the machine is too slow to tell: a token is only sure to be good for as long as its key is."""
    for service, token in tokens.items():
        status, said = call("GET", f"/{service}/me", token=token)
        if status == 200 and said.get("subject") == part(token, 1).get("sub") == "client:nightly" and said.get("service") == service:
            continue
        if time.monotonic() - since > GRACE - 0.3:
            return False
        fail(f"{service} answered {status} to a token that is good")
    return True


def attempt():
    began, old, kids = rotate()
    if not good(old, began):
        return False
    since, _, new = changed(kids)
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
        person = 7 + 31 * number
        asked = time.monotonic()
        status, said = call("GET", f"/{service}/me", token=session(person, service))
        if (status, said.get("subject")) != (200, f"customer:{1000 + person * 7 % 90}"):
            return fail(f"{service} answered {status} to a customer") if time.monotonic() - asked < GRACE - 1.3 else False
    return True


RECORDS = {entry.split(":")[0]: entry.split(":")[1:] for entry in os.environ["RECORDS"].split()}
if not any(attempt() for _ in range(4)):
    fail("the services are too slow to use a token while it is good")
print("customers and jobs are served by all three services, while keys change")
PY
