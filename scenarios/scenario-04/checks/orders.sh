# What customers do, through the balancer and at each replica: orders are taken once, at today's price, by all three.
exec 9>/tmp/replicas.lock
flock -w 17 9 || { echo "the replicas are busy with another check"; exit 1; }
exec python3 - <<'PY'
import json, os, subprocess, sys, time, urllib.error, urllib.request

NONCE = os.environ["NONCE"]
REPLICAS = ("app1", "app2", "app3")


def fail(message):
    print(message)
    sys.exit(1)


def ask(host, path, data=None):
    request = urllib.request.Request(f"http://{host}{path}", headers={"Content-Type": "application/json"},
                                     data=None if data is None else json.dumps(data).encode())
    try:
        with urllib.request.urlopen(request, timeout=4) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {}
    except (OSError, ValueError):
        return 0, {}


def query(user, password, *statements):
    command = ["psql", "-h", "db", "-U", user, "-d", "larkfield", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    for statement in statements:
        command += ["-c", statement]
    run = subprocess.run(command, env={**os.environ, "PGPASSWORD": password, "PGCONNECT_TIMEOUT": "5"}, capture_output=True, text=True)
    if run.returncode != 0:
        fail("the database cannot be asked")
    return [line.split("|") for line in run.stdout.splitlines()]


def order(host, number, sku="F-102", quantity=2):
    return ask(host, "/api/orders", {"client_reference": f"desk-{NONCE}-{number}", "sku": sku, "quantity": quantity,
                                     "customer": f"Desk {NONCE}", "email": "desk@example.com"})


def main():
    # The price of the day, on every replica.
    price = 1000 + int(NONCE[:6], 16) % 9000
    query("dba", os.environ["DBA_PASSWORD"], f"UPDATE public.items SET price_cents = {price} WHERE sku = 'V-900'")
    until = time.monotonic() + 6
    waiting = list(REPLICAS)
    while waiting and time.monotonic() < until:
        waiting = [name for name in waiting if ask(f"{name}:8000", "/api/items/V-900")[1].get("price_cents") != price]
        time.sleep(0.1 if waiting else 0)
    if waiting:
        fail(f"{waiting[0]} does not show today's price")

    direct = {}
    for name in REPLICAS:
        status, answer = order(f"{name}:8000", name, "V-900", 3)
        if status != 201 or answer.get("amount_cents") != 3 * price:
            fail(f"{name} does not take an order as agreed")
        direct[f"desk-{NONCE}-{name}"] = (answer.get("reference"), f"larkfield_{name}", str(3 * price), "3")

    taken, unit = {}, int(query("oncall", os.environ["ONCALL_PASSWORD"], "SELECT price_cents FROM public.items WHERE sku = 'F-102'")[0][0])
    for number in range(60):
        status, answer = order("lb", number)
        if status != 201:
            fail(f"an order was answered with {status or 'silence'}")
        taken[f"desk-{NONCE}-{number}"] = (answer.get("reference"), answer.get("taken_by"), str(2 * unit), "2")
        if number >= 11 and len({who for _, who, *_ in taken.values()}) == len(REPLICAS):
            break
    else:
        fail(f"of {len(REPLICAS)} replicas only {len({who for _, who, *_ in taken.values()})} get customers")
    status, again = order("lb", 0)
    if status != 200 or again.get("reference") != taken[f"desk-{NONCE}-0"][0]:
        fail("an order that was sent twice was not recognised")
    reference = again["reference"]
    if ask("lb", f"/api/orders/{reference}")[1].get("customer") != f"Desk {NONCE}":
        fail("an order cannot be read back")
    if ask("lb", f"/api/orders/{reference}/cancel", {})[1].get("status") != "cancelled":
        fail("an order cannot be cancelled")

    rows = query("oncall", os.environ["ONCALL_PASSWORD"],
                 f"SELECT client_reference, reference, taken_by, amount_cents, quantity FROM public.orders WHERE customer = 'Desk {NONCE}'")
    if len(rows) != len(taken) + len(direct) or {row[0]: tuple(row[1:]) for row in rows} != {**taken, **direct}:
        fail("the database does not hold the orders that were taken")
    print("orders are taken once, at today's price, by every replica")


main()
PY
