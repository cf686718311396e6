# The export of the largest journal ends before its end.
python3 - <<'PY'
import http.client, json, os, sys, time

site, until = http.client.HTTPConnection("web", timeout=12), time.monotonic() + 17
headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json", "User-Agent": "ledger-client/3.2"}


def ask(method, path, data=None):
    site.request(method, path, data and json.dumps(data), headers)
    return json.loads(site.getresponse().read())


export = ask("POST", "/api/exports", {"client_reference": f"monthly-{os.environ['NONCE']}"})
while export["status"] in ("queued", "running") and time.monotonic() < until:
    time.sleep(0.3)
    export = ask("GET", f"/api/exports/{export['reference']}")
print(f"an export is {export['status']} after {export['rows_written']} rows")
sys.exit(export["status"] != "incomplete")
PY
