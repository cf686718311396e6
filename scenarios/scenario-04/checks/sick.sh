# All three replicas work and get customers, each with its own login and at today's price. Then two of them lose their login, as
# when passwords are changed: customers must not be sent there any more, and are again when it is back.
exec python3 - <<'PY'
import base64, csv, json, os, subprocess, sys, time, urllib.error, urllib.request

sys.path.append("/opt/probe")
from records import note

NONCE = os.environ["NONCE"]
REPLICAS = ("app1", "app2", "app3")
PRICE = 1000 + int(NONCE[:6], 16) % 9000
AUTHORIZATION = "Basic " + base64.b64encode(os.environ["STATS"].encode()).decode()
numbers = iter(range(100000))
latest = time.monotonic() + 16  # the logins have to be back before this check is ended from outside


def fail(message):
    print(message)
    sys.exit(1)


def ask(url, data=None, **headers):
    request = urllib.request.Request(url, headers=headers, data=None if data is None else json.dumps(data).encode())
    try:
        with urllib.request.urlopen(request, timeout=4) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return 0, ""


def order(host, sku="H-107"):
    reference = f"till-{NONCE}-{next(numbers)}"
    note("attempted", {"writes": {"orders": [reference]}})
    status, text = ask(f"http://{host}/api/orders", {"client_reference": reference, "sku": sku, "quantity": 1,
                       "customer": "Till", "email": "till@example.com"}, **{"Content-Type": "application/json"})
    try:
        answer = json.loads(text)
        if status == 201:
            note("acknowledged", {"writes": {"orders": [reference, sku, 1, answer.get("amount_cents"), "Till", "till@example.com", ""]}})
        return status, answer.get("taken_by"), answer.get("amount_cents")
    except ValueError:
        return status, None, None


def dba(*statements):
    command = ["psql", "-h", "db", "-U", "dba", "-d", "larkfield", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    if subprocess.run(command, capture_output=True).returncode != 0:
        fail("the DBAs' login does not work as it did")


def login(names, word):
    return [f"ALTER ROLE larkfield_{name} {word}" for name in names]


def in_rotation():
    """The replicas that the balancer sends customers to; None where it does not say."""
    status, text = ask("http://lb:8404/;csv", Authorization=AUTHORIZATION)
    rows = [row for row in csv.DictReader(text.lstrip("# ").splitlines()) if row.get("svname") in REPLICAS] if status == 200 else []
    if {row["svname"] for row in rows} != set(REPLICAS):
        return None
    return {row["svname"] for row in rows if row["status"].startswith(("UP", "no check"))}


def within(seconds, what):
    until = min(time.monotonic() + seconds, latest)
    while not (seen := what()) and time.monotonic() < until:
        time.sleep(0.1)
    return seen


def all_meet_customers(seconds):
    met = set()
    return within(seconds, lambda: met.add(order("lb")[1]) or met >= {f"larkfield_{name}" for name in REPLICAS})


def main():
    if not within(2, lambda: in_rotation() is not None):
        fail("the balancer's page does not list the three replicas")
    dba(*login(REPLICAS, "LOGIN"), f"UPDATE public.items SET price_cents = {PRICE} WHERE sku = 'V-900'")
    for name in REPLICAS:
        if not within(3, lambda: order(f"{name}:8000", "V-900") == (201, f"larkfield_{name}", PRICE)):
            fail("not every replica takes orders in its own name and at today's price")
    if not within(6, lambda: in_rotation() == set(REPLICAS)) or not all_meet_customers(4):
        fail("not every replica gets customers")

    lucky = REPLICAS[int(NONCE[-4:], 16) % 3]
    sick = [name for name in REPLICAS if name != lucky]
    try:
        dba(*login(sick, "NOLOGIN"), "SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE usename IN ('%s')"
            % "', '".join(f"larkfield_{name}" for name in sick))
        for name in sick:
            if order(f"{name}:8000")[0] == 201:
                fail("a replica takes orders with a login that is not its own")
        if not within(11, lambda: in_rotation() == {lucky}):
            fail("the balancer goes on sending customers to a replica that cannot work")
        if any(order("lb")[:2] != (201, f"larkfield_{lucky}") for _ in range(9)):
            fail("customers met a replica that cannot work")
    finally:
        dba(*login(sick, "LOGIN"))
    global latest
    latest += 2
    if not within(9, lambda: in_rotation() == set(REPLICAS)) or not all_meet_customers(4):
        fail("a replica that works again gets no customers")
    print("a replica that cannot work gets no customers until it works again")


main()
PY
