"""What customers, jobs and administrators do at the portal. Every check of this scenario uses it."""

import base64, hmac, http.client, json, os, sys, time

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
        fail(f"a service answered {status} to a token that is good")
    return True
