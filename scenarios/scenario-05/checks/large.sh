# An export of the largest journal comes to its end.
python3 - <<'PY'
import http.client, json, os, sys, time

least = int(os.environ["ROWS"].split()[0])
headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json", "User-Agent": "ledger-client/3.2"}
until = time.monotonic() + 16
site = http.client.HTTPConnection("web", timeout=12)


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, data=None):
    try:
        site.request(method, path, None if data is None else json.dumps(data), headers)
        answer = site.getresponse()
        content = answer.read(32_000_000)
        return content if path.endswith("/file") else json.loads(content)
    except (OSError, ValueError, http.client.HTTPException):
        fail("the site does not answer")


export = ask("POST", "/api/exports", {"client_reference": f"load-{os.environ['NONCE']}"})
path = f"/api/exports/{export.get('reference')}"
while export.get("status") in ("queued", "running"):
    if time.monotonic() > until:
        fail("an export does not come to an end")
    time.sleep(0.3)
    export = ask("GET", path)
if export.get("status") != "complete":
    fail(f"an export ended {export.get('status')} after {export.get('rows_written')} of {export.get('rows_expected')} rows")
lines = ask("GET", path + "/file").count(b"\n") - 1
if lines < least or lines != export.get("rows_expected"):
    fail(f"the file of an export has {lines} rows")
print("an export of the largest journal is complete")
PY
