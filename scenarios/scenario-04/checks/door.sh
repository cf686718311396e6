# The way in: what is internal stays so, bodies have a limit, the balancer's page has its password.
exec python3 - <<'PY'
import base64, http.client, os, sys


def ask(port, path, body=None, **headers):
    connection = http.client.HTTPConnection("lb", port, timeout=6)
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, {}, b""
    finally:
        connection.close()


def fail(message):
    print(message)
    sys.exit(1)


for path in ("/internal/metrics", "/INTERNAL/metrics", "/%69nternal/metrics", "/internal%2Fmetrics", "/internal/"):
    status, _, body = ask(80, path)
    if status != 403 or b"responses" in body:
        fail(f"what is internal was answered with {status or 'silence'}")
status = ask(80, "/api/orders", b"x" * 40000, **{"Content-Type": "application/json"})[0]
if status not in (413, 0):
    fail(f"a body of 40 kB was answered with {status}")
_, headers, _ = ask(80, "/healthz")
if headers.get("X-Content-Type-Options") != "nosniff" or headers.get("X-Frame-Options") != "DENY":
    fail("the site's headers are gone")
for login in (None, os.environ["STATS"].split(":")[0] + ":wrong", "admin:admin"):
    credentials = {} if login is None else {"Authorization": "Basic " + base64.b64encode(login.encode()).decode()}
    for path in ("/", "/;csv", "/metrics", "/stats"):
        status, _, body = ask(8404, path, **credentials)
        if 200 <= status < 300 or b"app1" in body:
            fail("the balancer's page is open to everybody")
        if status == 0:
            fail("the balancer's page does not answer")
    for path in ("/haproxy?stats", "/;csv", "/stats"):
        if b"app1" in ask(80, path, **credentials)[2]:
            fail("the balancer's page is open to everybody")
known = {"Authorization": "Basic " + base64.b64encode(os.environ["STATS"].encode()).decode()}
if ask(8404, "/;csv", **known)[0] != 200:
    fail("the balancer's page does not open with its password")
print("the way in is guarded as it was")
PY
