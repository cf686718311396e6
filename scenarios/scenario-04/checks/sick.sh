# Two replicas lose their login to the database, as when passwords are changed: customers must not be sent there, and are
# again when it is back.
exec 9>/tmp/replicas.lock
sleep 0.3  # the short checks first
flock -w 7 9 || { echo "the replicas are busy with another check"; exit 1; }
exec python3 - <<'PY'
import base64, csv, json, os, subprocess, sys, time, urllib.error, urllib.request

NONCE = os.environ["NONCE"]
REPLICAS = ("app1", "app2", "app3")
AUTHORIZATION = "Basic " + base64.b64encode(os.environ["STATS"].encode()).decode()


def fail(message):
    print(message)
    sys.exit(1)


def ask(url, data=None, **headers):
    request = urllib.request.Request(url, headers=headers, data=None if data is None else json.dumps(data).encode())
    try:
        with urllib.request.urlopen(request, timeout=3) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return 0, ""


def order(host, number):
    status, text = ask(f"http://{host}/api/orders", {"client_reference": f"till-{NONCE}-{number}", "sku": "H-107", "quantity": 1,
                       "customer": "Till", "email": "till@example.com"}, **{"Content-Type": "application/json"})
    try:
        return status, json.loads(text).get("taken_by")
    except ValueError:
        return status, None


def dba(*statements):
    command = ["psql", "-h", "db", "-U", "dba", "-d", "larkfield", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    if subprocess.run(command, env={**os.environ, "PGCONNECT_TIMEOUT": "5"}, capture_output=True).returncode != 0:
        fail("the DBAs' login does not work as it did")


def in_rotation():
    """The replicas that the balancer sends customers to; None where it does not say."""
    status, text = ask("http://lb:8404/;csv", Authorization=AUTHORIZATION)
    rows = [row for row in csv.DictReader(text.lstrip("# ").splitlines()) if row.get("svname") in REPLICAS] if status == 200 else []
    if {row["svname"] for row in rows} != set(REPLICAS):
        return None
    return {row["svname"] for row in rows if row["status"].startswith(("UP", "no check"))}


def within(seconds, what):
    until = time.monotonic() + seconds
    while not (seen := what()) and time.monotonic() < until:
        time.sleep(0.1)
    return seen


def login(names, allowed):
    dba(*(f"ALTER ROLE larkfield_{name} {'LOGIN' if allowed else 'NOLOGIN'}" for name in names))


def main():
    if in_rotation() is None:
        fail("the balancer's page does not list the three replicas")
    lucky = REPLICAS[int(NONCE[-4:], 16) % 3]
    sick = [name for name in REPLICAS if name != lucky]
    numbers = iter(range(1000))
    if not within(5, lambda: in_rotation() == set(REPLICAS) and all(order(f"{name}:8000", next(numbers))[0] == 201 for name in REPLICAS)):
        fail("not every replica works and gets customers")
    try:
        login(sick, False)
        dba("SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE usename IN ('%s')" % "', '".join(f"larkfield_{name}" for name in sick))
        for name in sick:
            if order(f"{name}:8000", next(numbers))[0] == 201:
                fail("a replica takes orders with a login that is not its own")
        if not within(11, lambda: in_rotation() == {lucky}):
            fail("the balancer goes on sending customers to a replica that cannot work")
        seen = [order("lb", next(numbers)) for _ in range(9)]
        if any(answer != (201, f"larkfield_{lucky}") for answer in seen):
            fail("customers met a replica that cannot work")
    finally:
        login(sick, True)
    if not within(8, lambda: in_rotation() == set(REPLICAS)):
        fail("a replica that works again does not come back")
    met = set()
    if not within(4, lambda: met.add(order("lb", next(numbers))[1]) or len(met - {None}) == 3):
        fail("a replica that works again gets no customers")
    print("a replica that cannot work gets no customers until it works again")


login(REPLICAS, True)
main()
PY
