# Merchants, before anything went wrong: payouts that are booked and confirmed. Prints what they know of them.
python3 - <<'PY'
import http.client, json, secrets, sys, time

sys.path.append("/opt/probe")
from records import note

site = http.client.HTTPConnection("api", 8000, timeout=8)


def ask(method, path, data=None):
    site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
    answer = site.getresponse()
    return json.loads(answer.read(200_000))


references = [f"shop-{secrets.token_hex(8)}" for _ in range(3)]
for index, reference in enumerate(references):
    order = {"reference": reference, "merchant": "Teekontor Wittmund", "iban": "DE02120300000000202051", "amount_cents": 9900 + index}
    note("attempted", {"writes": {"payouts": [*order.values(), "", ""], "entries": [reference, 9900 + index, ""]}})
    ask("POST", "/api/payouts", order)
until, booked = time.monotonic() + 8, []
while len(booked) < 3 and time.monotonic() < until:
    booked = [found for reference in references if (found := ask("GET", f"/api/payouts/{reference}")).get("entry_no")]
    time.sleep(0.1)
assert len(booked) == 3
print(" ".join(f"{found['reference']}:{found['period']}:{found['entry_no']}:{found['amount_cents']}" for found in booked))
PY
