# What customers see: some services refuse tokens that are good.
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


refused = [service for service in SERVICES if call("GET", f"/{service}/me", token=batch(service))[0] == 401]
if not refused:
    fail("every token was taken")
print("refused by " + ", ".join(refused))
PY
