# What customers do, through the balancer: orders are taken once, at the price that was shown, and kept. A replica may be out of
# service at the moment (503, and the next try is good); nobody is kept waiting in vain.
exec python3 - <<'PY'
import json, os, subprocess, sys, time, urllib.error, urllib.request

sys.path.append("/opt/probe")
from records import note

NONCE = os.environ["NONCE"]
patience = time.monotonic() + 14


def fail(message):
    print(message)
    sys.exit(1)


def once(path, data):
    request = urllib.request.Request(f"http://lb{path}", headers={"Content-Type": "application/json"},
                                     data=None if data is None else json.dumps(data).encode())
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {}
    except (OSError, ValueError) as error:
        return (503 if isinstance(getattr(error, "reason", error), ConnectionError) else 0), {}


def ask(path, data=None):
    while True:
        status, answer = once(path, data)
        if status in (0, 502, 504):
            fail(f"a customer waited in vain ({status or 'silence'})")
        if status != 503:
            return status, answer
        if time.monotonic() > patience:
            fail("customers are turned away (503)")
        time.sleep(0.3)


def order(number, sku, quantity):
    return ask("/api/orders", {"client_reference": f"desk-{NONCE}-{number}", "sku": sku, "quantity": quantity,
                               "customer": f"Desk {NONCE}", "email": "desk@example.com"})


def main():
    shown = {item["sku"]: item["price_cents"] for item in ask("/api/items?kind=flower")[1].get("items", [])}
    if len(shown) != 6 or "F-102" not in shown:
        fail("the items are not listed")
    taken = {}
    for number in range(9):
        row = {"writes": {"orders": [f"desk-{NONCE}-{number}", "F-102", 1 + number, (1 + number) * shown["F-102"], f"Desk {NONCE}", "desk@example.com", ""]}}
        note("attempted", row)
        status, answer = order(number, "F-102", 1 + number)
        if status not in (200, 201):
            fail(f"an order was answered with {status}")
        note("acknowledged", row)
        taken[f"desk-{NONCE}-{number}"] = [answer.get("reference"), answer.get("taken_by"), str((1 + number) * shown["F-102"]), str(1 + number)]
    if order(0, "F-102", 1)[1].get("reference") != taken[f"desk-{NONCE}-0"][0] or order(0, "F-102", 2)[0] != 409:
        fail("an order that was sent twice was not recognised")
    if [order("x", "F-102", 21)[0], order("x", "X-1", 1)[0]] != [422, 404]:
        fail("an order to refuse was not refused")
    reference = taken[f"desk-{NONCE}-0"][0]
    if ask(f"/api/orders/{reference}")[1].get("customer") != f"Desk {NONCE}":
        fail("an order cannot be read back")
    if ask(f"/api/orders/{reference}/cancel", {})[1].get("status") != "cancelled":
        fail("an order cannot be cancelled")

    rows = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkfield", "-X", "-q", "-A", "-t", "-c",
                           f"SELECT client_reference, reference, taken_by, amount_cents, quantity FROM public.orders WHERE customer = 'Desk {NONCE}'"],
                          capture_output=True, text=True).stdout.split()
    if len(rows) != len(taken) or {row.split("|")[0]: row.split("|")[1:] for row in rows} != taken:
        fail("the database does not hold the orders that were taken")
    print("orders are taken once, at the price that was shown, and kept")


main()
PY
