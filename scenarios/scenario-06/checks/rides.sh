# Every ride up to a moment, row by row, hashed here; the database only hands out rows. Without that moment (HELD): customers begin
# and end a few rides, and the moment is now. And every ride that was begun for a customer since then.
exec python3 - <<'PY'
import hashlib, http.client, json, os, secrets, subprocess, sys

sys.path.append("/opt/probe")
from records import note


def rows():
    asked = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "velodepot", "-X", "-q", "-v", "ON_ERROR_STOP=1"], text=True, capture_output=True, input="""
        SET search_path = pg_catalog;
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
        COPY (SELECT id, client_reference, rider, bike, from_station, to_station, price_cents, begun_at, ended_at FROM public.rides) TO STDOUT;
        COPY (SELECT 0, ride_id, minute, latitude, longitude FROM public.tracks WHERE ride_id <= 900) TO STDOUT;
        COPY (SELECT 0, id, code, name FROM public.stations) TO STDOUT;
        COPY (SELECT 0, id, code, station_id FROM public.docks) TO STDOUT;
        COMMIT;""")
    if asked.returncode:
        print("the rides cannot be read")
        sys.exit(1)
    return [(int(line.split("\t", 1)[0]), line) for line in asked.stdout.splitlines()]


def summary(found, last):
    kept = sorted(line for number, line in found if number <= last)
    return f"{sum(0 < number <= last for number, _ in found)} rides, {hashlib.sha256(chr(10).join(kept).encode()).hexdigest()[:32]}, up to {last}"


def customers():
    site = http.client.HTTPConnection("api", 8000, timeout=8)

    def ask(path, data, status):
        site.request("POST", path, json.dumps(data), {"Content-Type": "application/json"})
        answer = site.getresponse()
        content = answer.read(100_000)
        assert answer.status == status, answer.status
        return json.loads(content)

    for rider in ("Gesa Harms", "Falk Ihnen", "Imke Meints"):
        order = {"client_reference": f"app-{secrets.token_hex(10)}", "rider": rider, "bike": "V0311", "station": "SEE"}
        note("attempted", {"writes": {"rides": list(order.values())}})
        ride = ask("/api/rides", order, 201)
        ask(f"/api/rides/{ride['id']}/end", {"station": "RAT"}, 200)
    return ride["id"]


def lost(promised, found):
    kept = {line.split("\t")[1] for number, line in found if number > 0 and "\tApp Customer\tV0815\t" in line}
    return sum(f"app-{nonce}" not in kept for nonce in promised)


promised = [line.split()[1] for line in open("/run/customers/2")] if os.path.exists("/run/customers/2") else []
last = int(os.environ["HELD"].rsplit(" ", 1)[1]) if os.environ.get("HELD") else customers()
found = rows()
if gone := lost(promised, found):
    print(f"{gone} rides that customers have begun are gone or changed")
    sys.exit(1)
print(summary(found, last))
PY
