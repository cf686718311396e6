# Some merchants' servers take their time over a call, while copies of the journal are made: others are booked meanwhile, and
# every receipt is finished afterwards.
python3 - <<'PY'
import http.client, http.server, json, os, secrets, select, sys, threading, time

sys.path.append("/opt/probe")
from records import note

SNAPSHOTS = "/hold/worker/0/snapshots"
called, released, hung_up = threading.Event(), threading.Event(), threading.Event()


def fail(text):
    print(text)
    sys.stdout.flush()
    released.set()
    time.sleep(0.2)
    os._exit(1)


class Merchant(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65_536))
        called.set()
        while not released.wait(0.05):
            if select.select([self.connection], [], [], 0)[0]:
                hung_up.set()
                return
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def ask(method, path, data=None):
    site = http.client.HTTPConnection("api", 8000, timeout=6)
    try:
        site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
        answer = site.getresponse()
        return answer.status, json.loads(answer.read(200_000))
    except (OSError, ValueError, http.client.HTTPException):
        fail("the API does not answer")
    finally:
        site.close()


def order(**extra):
    reference = f"shop-{secrets.token_hex(8)}"
    wanted = {"reference": reference, "merchant": "Atelier Sand", "iban": "DE44200410100532013000", "amount_cents": 4200, **extra}
    rows = {"writes": {"payouts": [*list(wanted.values())[:4], wanted.get("callback_url", ""), ""], "entries": [reference, 4200, ""]}}
    note("attempted", rows)
    status, _ = ask("POST", "/api/payouts", wanted)
    if status != 201:
        fail(f"a payout was refused ({status})")
    note("acknowledged", rows)
    return reference


def wait(seconds, look, complaint):
    until = time.monotonic() + seconds
    while not look():
        if time.monotonic() > until:
            fail(complaint)
        time.sleep(0.05)


def last_copy():
    """When something last changed among the copies."""
    try:
        return max(os.stat(path).st_mtime_ns for path in [SNAPSHOTS, *(entry.path for entry in os.scandir(SNAPSHOTS))])
    except OSError:
        return 0


server = http.server.ThreadingHTTPServer(("", 0), Merchant)
threading.Thread(target=server.serve_forever, daemon=True).start()
slow = [order(callback_url=f"http://clients:{server.server_port}/slow") for _ in range(3)]
wait(8, called.is_set, "a merchant was not called after the booking")
quick = order()
wait(5, lambda: ask("GET", f"/api/payouts/{quick}")[1].get("status") == "booked", "payouts are not booked while some merchants' servers take their time")
for _ in range(2):
    before = last_copy()
    wait(6, lambda: last_copy() != before, "no copy of the journal is made")
    time.sleep(0.3)
if hung_up.is_set():
    fail("a merchant's server was not given the time to answer")
released.set()
for reference in [*slow, quick]:
    wait(5, lambda: ask("GET", f"/api/payouts/{reference}")[1].get("receipt_at"), "a receipt is never finished")
print("slow merchants hold up nobody, and every receipt is finished")
sys.stdout.flush()
os._exit(0)
PY
