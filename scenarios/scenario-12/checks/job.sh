# The neighbour's work gets done: a job prices every lane, right, and in time.
python3 - <<'PY'
import http.client, json, os, random, subprocess, sys, time

sys.path.append("/opt/probe")
from records import note


def fail(text):
    print(text)
    sys.exit(1)


def rows(query):
    found = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkspur", "-X", "-q", "-A", "-t", "-c", query], capture_output=True, text=True)
    if found.returncode:
        fail("the prices cannot be read from the database")
    return found.stdout.split()


factor, site = random.randint(900, 1100), http.client.HTTPConnection("batch", 8000, timeout=12)
row = {"writes": {"jobs": [f"season {os.environ['NONCE']}", factor, ""]}}
note("attempted", row)
try:
    site.request("POST", "/jobs", json.dumps({"name": f"season {os.environ['NONCE']}", "factor_permille": factor}), {"Content-Type": "application/json"})
    answer = site.getresponse()
    job = int(json.loads(answer.read(10_000))["job"])
except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
    fail("a job was refused")
note("acknowledged", row)
until = time.monotonic() + 15
wanted = sorted(f"{lane}|{(int(cents) * factor + 999) // 1000}" for lane, cents in (row.split("|") for row in rows("SELECT id, cents_per_100kg FROM public.lanes")))
while True:
    priced = sorted(rows(f"SELECT lane_id, cents_per_100kg FROM public.prices WHERE job_id = {job}"))
    if priced == wanted:
        break
    if time.monotonic() > until:
        fail(f"a job has priced {len(priced)} of {len(wanted)} lanes in 15 s")
    time.sleep(0.5)
print("a job was done in time")
PY
