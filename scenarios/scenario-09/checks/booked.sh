# Every order that somebody was promised is in the ledger once: those of now, and all that came before.
# with checks/tidewell.py
exec python3 - <<'PY'
import base64, json, os

from tidewell import BOOKED, NO_BROKER, Marketplace, ask, dead_letters, fail, note_write, query, within

NONCE = os.environ["NONCE"]


def main():
    # The shop's customers and the marketplace's, now.
    feed = Marketplace()
    note_write("attempted", "orders", f"Desk {NONCE}", "clock", 3, 26700)
    note_write("attempted", "ledger", f"Desk {NONCE}", "shop", "clock", 3, 26700, "")
    note_write("attempted", "ledger", f"MP-desk-{NONCE}", "marketplace", "lamp", 2, 9800, f"lot {NONCE}")
    status, order = within(6, lambda: answer if (answer := ask("http://shop:8000/api/orders", {
        "item": "clock", "quantity": 3, "customer": f"Desk {NONCE}"}))[0] == 202 else None) or (0, None)
    if status != 202:
        fail("the shop does not take an order")
    direct = {"order_id": f"MP-desk-{NONCE}", "source": "marketplace", "item": "lamp", "quantity": 2, "amount_cents": 9800,
              "customer": f"Desk {NONCE}", "note": f"lot {NONCE}"}
    for _ in range(2):
        feed.publish(json.dumps(direct).encode(), direct["order_id"])
    wanted = sorted([f"{order['order_id']}|shop|clock|3|26700|Desk {NONCE}|", "|".join(str(value) for value in direct.values())])
    accepted = query("SELECT coalesce(max(id), 0) FROM public.orders")
    promised = set(open("/tmp/marketplace.log").read().splitlines()) if os.path.exists("/tmp/marketplace.log") else set()
    if not accepted:
        fail("the orders cannot be read")
    if not within(11, lambda: sorted(query(f"{BOOKED} WHERE customer = 'Desk {NONCE}'") or []) == wanted):
        fail("an order that was taken is not booked, or not as it was ordered")

    # Whatever was promised to anybody, each once and unaltered.
    missing = f"""SELECT o.order_id FROM public.orders o LEFT JOIN public.ledger l ON l.order_id = o.order_id AND l.item = o.item AND l.quantity = o.quantity
                  AND l.amount_cents = o.amount_cents AND l.customer = o.customer WHERE l.id IS NULL AND o.id <= {accepted[0]}"""
    if not within(3, lambda: query(missing) == []):
        fail("orders that the shop accepted are not in the ledger")
    if not within(3, lambda: promised <= set(query(f"{BOOKED} WHERE source = 'marketplace'") or [])):
        fail("orders that the broker took from the marketplace are not in the ledger")
    if ask(f"http://shop:8000/api/orders/{order['order_id']}")[1].get("status") != "booked":
        fail("the shop does not show a booked order as booked")

    # What cannot be booked is kept for the marketplace, once and byte for byte.
    kept = [base64.b64decode(line) for line in open("/tmp/feed.log")] if os.path.exists("/tmp/feed.log") else []
    if not within(4, lambda: set(kept) <= set(dead_letters())):
        fail("messages that held up the others are not where they can be looked at")
    letters = dead_letters()
    if any(letters.count(letter) > 1 for letter in kept):
        fail("messages that held up the others are put aside more than once")
    if query(f"SELECT 1 FROM public.ledger WHERE order_id LIKE 'MP-{os.environ['PILL']}%'") != []:
        fail("the ledger has an order that nobody could read")
    print("every order is in the ledger, once and unaltered")


try:
    main()
except (*NO_BROKER, AttributeError, KeyError):
    fail("broker or shop do not answer as they should")
PY
