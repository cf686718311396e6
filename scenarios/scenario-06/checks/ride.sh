# A customer's own transaction: see the stations, begin a ride, end it, pay; a dock says that it is there; all of it is in the database.
exec python3 - <<'PY'
import http.client, json, os, subprocess, sys

sys.path.append("/opt/probe")
from records import note

NONCE = os.environ["NONCE"]


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, status, complaint, data=None):
    site = http.client.HTTPConnection("api", 8000, timeout=8)
    try:
        site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
        answer = site.getresponse()
        content = answer.read(200_000)
        if answer.status != status:
            fail(f"{complaint} ({answer.status})")
        return json.loads(content)
    except (OSError, ValueError, http.client.HTTPException):
        fail("the service does not answer")
    finally:
        site.close()


stations = ask("GET", "/api/stations", 200, "stations cannot be listed")["items"]
if len(stations) != 12 or any(station.get("docks") != 20 for station in stations):
    fail("stations are missing")
order = {"client_reference": f"desk-{NONCE}", "rider": f"Desk {NONCE[:8]}", "bike": "V0107", "station": "UNI"}
note("attempted", {"writes": {"rides": list(order.values())}})
ride = ask("POST", "/api/rides", 201, "a ride cannot be begun", order)
if ask("POST", "/api/rides", 200, "an order that was sent twice was not recognised", order) != ride:
    fail("an order that was sent twice was not recognised")
ask("POST", "/api/rides", 409, "another rider's reference was taken", {**order, "rider": "Somebody Else"})
ask("POST", "/api/rides", 404, "a ride from nowhere was begun", {**order, "client_reference": f"none-{NONCE}", "station": "XXX"})
ended = ask("POST", f"/api/rides/{ride['id']}/end", 200, "a ride cannot be ended", {"station": "ZOO"})
ask("POST", f"/api/rides/{ride['id']}/end", 409, "a ride was ended twice", {"station": "MKT"})
if ask("GET", f"/api/rides/{ride['id']}", 200, "a ride cannot be read back") != ended or not ended.get("price_cents"):
    fail("a ride cannot be read back")
battery = int(NONCE[:6], 16) % 100
ask("POST", "/api/docks/KLI-07/beacon", 200, "a dock's beacon was refused", {"bike": "V0583", "battery_percent": battery})

query = ("SELECT r.rider, f.code, t.code, r.price_cents FROM public.rides r JOIN public.stations f ON f.id = r.from_station "
         f"JOIN public.stations t ON t.id = r.to_station WHERE r.client_reference = 'desk-{NONCE}'")
rows = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "velodepot", "-X", "-A", "-t", "-c", query], capture_output=True, text=True)
if rows.stdout.strip() != f"{order['rider']}|UNI|ZOO|{ended['price_cents']}":
    fail("a ride that was paid is not in the database")
print("a ride was begun, ended, paid and found in the database")
PY
