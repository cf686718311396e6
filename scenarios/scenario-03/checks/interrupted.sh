# Leaves the worker in the middle of two things: a merchant's server that takes its time over a call, and a booking that stands in the
# journal and waits for the ledger. A program that stays behind gives that booking up once the worker runs again, and notes whether the
# merchant is called again.
rm -f /run/called-again /run/call-interrupted
python3 - <<'PY'
import http.client, http.server, json, os, select, sys, threading, time

import psycopg2

sys.path.append("/opt/probe")
from records import note

called, told = threading.Event(), os.pipe()
if os.fork() != 0:
    os.close(told[1])
    said = os.read(told[0], 200).decode()
    print(said or "nothing could be interrupted")
    sys.exit(0)
os.setsid()


class Merchant(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65_536))
        if not called.is_set():
            called.set()
            open("/run/call-interrupted", "w").close()
            select.select([self.connection], [], [], 10)  # until the caller hangs up
            return
        open("/run/called-again", "w").close()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("", 0), Merchant)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
order = {"reference": f"slow-{os.environ['NONCE']}", "merchant": "Atelier Sand", "iban": "DE44200410100532013000", "amount_cents": 5100,
         "callback_url": f"http://clients:{server.server_port}/slow"}
rows = {"writes": {"payouts": [*order.values(), ""], "entries": [order["reference"], order["amount_cents"], ""]}}
note("attempted", rows)
site = http.client.HTTPConnection("api", 8000, timeout=3)
site.request("POST", "/api/payouts", json.dumps(order), {"Content-Type": "application/json"})
if site.getresponse().status == 201:
    note("acknowledged", rows)


def connect():
    database = psycopg2.connect(host="db", dbname="ferngiro", user="ferngiro_worker", password=os.environ["WORKER_PASSWORD"], connect_timeout=3)
    return database, database.cursor()


def until(seconds, look):
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.005)
    return found


def posting(condition, *values):
    watcher.execute("SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE application_name LIKE 'post-%%' AND " + condition, values)
    found = watcher.fetchone()[0]
    watching.rollback()
    return found


def hold_one():
    """A booking that a posting process has taken up, and not entered yet."""
    holder.execute("SELECT now() FROM public.payouts WHERE status = 'claimed' LIMIT 1 FOR UPDATE SKIP LOCKED")
    found = holder.fetchone()
    if found is None:
        holding.rollback()
    return found


called.wait(2.5)
(holding, holder), (watching, watcher) = connect(), connect()
since = until(1, hold_one)
if since:
    until(1, lambda: posting("wait_event_type = 'Lock'"))
os.write(told[1], b"a call and a booking are under way")
os.close(told[1])
if since:  # the server notices that the worker is gone, and nothing of that booking is written
    until(6, lambda: posting("backend_start > %s", since[0]))
    watcher.execute("SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
                    " WHERE usename = current_user AND application_name LIKE 'post-%%' AND backend_start < %s", since)
    time.sleep(0.4)
holding.rollback()
time.sleep(10)
os._exit(0)
PY
