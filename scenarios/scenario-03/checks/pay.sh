# A merchant's own transaction: order a payout, see it booked, be called with its receipt. And nobody else's payout waits.
python3 - <<'PY'
import http.client, http.server, json, os, subprocess, sys, threading, time

sys.path.append("/opt/probe")
from records import note

nonce = os.environ["NONCE"]
calls = []


def fail(text):
    print(text)
    sys.stdout.flush()
    os._exit(1)


class Merchant(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            calls.append((self.path, json.loads(self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65_536)))))
        except ValueError:
            calls.append((self.path, None))
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


def query(sql):
    rows = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "ferngiro", "-X", "-A", "-t", "-c", sql], capture_output=True, text=True)
    if rows.returncode != 0:
        fail("the database does not answer")
    return rows.stdout.strip()


def wait(seconds, look, complaint):
    until = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > until:
            fail(complaint)
        time.sleep(0.1)
    return found


waiting, unconfirmed = query("""
    SELECT (SELECT count(*) FROM public.payouts WHERE status <> 'booked' AND execute_at < now() - interval '15 seconds'),
           (SELECT count(*) FROM public.entries WHERE receipt_at IS NULL AND booked_at < now() - interval '15 seconds')""").split("|")
if waiting != "0":
    fail(f"{waiting} payouts are due and not booked")
if unconfirmed != "0":
    fail(f"{unconfirmed} entries have no receipt")

server = http.server.ThreadingHTTPServer(("", 0), Merchant)
threading.Thread(target=server.serve_forever, daemon=True).start()
order = {"reference": f"desk-{nonce}", "merchant": f"Desk {nonce[:6]}", "iban": "DE44200410100532013000",
         "amount_cents": 1000 + int(nonce[:3], 16), "callback_url": f"http://clients:{server.server_port}/{nonce}"}
rows = {"writes": {"payouts": [*order.values(), ""], "entries": [order["reference"], order["amount_cents"], ""]}}
note("attempted", rows)
status, _ = ask("POST", "/api/payouts", order)
if status != 201:
    fail(f"a payout was refused ({status})")
note("acknowledged", rows)
path = f"/api/payouts/desk-{nonce}"
booked = wait(8, lambda: (found := ask("GET", path)[1]).get("status") == "booked" and found, "a payout that was ordered is not booked")
wait(10, lambda: calls, "a merchant was not called after the booking")
wait(4, lambda: ask("GET", path)[1].get("receipt_at"), "a booking has no receipt")
wanted = {"reference": order["reference"], "amount_cents": order["amount_cents"], "entry_no": booked["entry_no"], "period": booked["period"]}
if [path for path, _ in calls] != [f"/{nonce}"] or not isinstance(calls[0][1], dict) or calls[0][1] | wanted != calls[0][1]:
    fail("a merchant was called with something else")
statuses = [ask("POST", "/api/payouts", {**order, **change})[0] for change in ({}, {"amount_cents": 7}, {"reference": f"bad-{nonce}", "amount_cents": 0})]
if statuses != [200, 409, 422]:
    fail(f"an order sent again, one changed and one malformed were answered with {statuses}")
stored = query(f"SELECT e.entry_no, e.amount_cents FROM public.entries e JOIN public.payouts p ON p.id = e.payout_id WHERE p.reference = 'desk-{nonce}'")
if stored != f"{booked['entry_no']}|{order['amount_cents']}":
    fail("a booked payout is not in the ledger")
print("a payout was ordered, booked and confirmed, and no other waits")
sys.stdout.flush()
os._exit(0)
PY
