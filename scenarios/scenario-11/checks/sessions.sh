# Every session that there was, and that its holder can go on with it.
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


status, said = call("GET", "/auth/admin/sessions", token=os.environ["ADMIN"])
rows = [[row.get(name) for name in ("id", "subject", "device", "begun")] for row in said.get("sessions", []) if isinstance(row, dict)]
if status != 200:
    fail("the sessions cannot be listed")
for number in (1, 17, 58, 93, 120):
    if part(session(number, "billing"), 1).get("sub") != f"customer:{1000 + number * 7 % 90}":
        fail("a session belongs to somebody else now")
batch("tickets")
seeded = [row for row in rows if isinstance(row[0], int) and row[0] <= 120]
print(f"{len(seeded)} sessions, {hashlib.sha256(json.dumps(seeded).encode()).hexdigest()[:24]}")
PY
