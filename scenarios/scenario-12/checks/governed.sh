# The governor does its work, by the right policy: what is changed behind its back, it sees, puts back as the plan says, and tells.
python3 - <<'PY'
import http.client, json, os, random, subprocess, sys, time

nonce, token, until = os.environ["NONCE"], os.environ["ADMIN_TOKEN"], time.monotonic() + 14
PLAN = {"api": {"slots": 16}, "batch": {"workers": 2}}


def fail(text):
    print(text)
    sys.exit(1)


def settings(service, data=None):
    site = http.client.HTTPConnection(service, 8000, timeout=10)
    try:
        site.request("GET" if data is None else "PUT", "/admin/settings", data and json.dumps(data),
                     {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        answer = site.getresponse()
        content = answer.read(10_000)
        if answer.status == 200:
            return json.loads(content)
    except (OSError, ValueError, http.client.HTTPException):
        pass
    finally:
        site.close()
    fail(f"the settings of {service} cannot be reached")


def audit(after):
    rows = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkspur", "-X", "-q", "-A", "-t", "-c",
                           f"SELECT id, service, observed, applied FROM public.governor_audit WHERE id > {after} ORDER BY id"],
                          capture_output=True, text=True)
    if rows.returncode:
        fail("the governor's audit cannot be read")
    for line in rows.stdout.splitlines():
        number, service, observed, applied = line.split("|")
        yield int(number), service, json.loads(observed), json.loads(applied)


last = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkspur", "-X", "-q", "-A", "-t", "-c",
                       "SELECT coalesce(max(id), 0) FROM public.governor_audit"], capture_output=True, text=True).stdout.strip()
if not last.isdigit():
    fail("the governor's audit cannot be read")
planted = {"api": {"slots": random.randint(17, 48)}, "batch": {"workers": 3}}
for service, values in planted.items():
    settings(service, {**values, "note": f"drill {nonce}"})
seen = set()
while seen != set(PLAN):
    if time.monotonic() > until:
        fail("settings that were changed by hand are not put back")
    time.sleep(0.6)
    for _, service, observed, applied in audit(last):
        if any(PLAN.get(service, {}).get(name) != value for name, value in applied.items()):
            fail("a service is given other settings than the plan has for it")
        if observed == {**planted[service], "note": f"drill {nonce}"}:
            seen.add(service)
for service, values in PLAN.items():
    now = settings(service)
    if any(now.get(name) != value for name, value in values.items()):
        fail("a service has other settings than the plan has for it")
print("the governor puts back what was changed, as the plan says")
PY
