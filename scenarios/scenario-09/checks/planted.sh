# Messages that nobody can book, each followed by a good one: the good are booked, the others put aside, once and as they came.
# with checks/tidewell.py
exec python3 - <<'PY'
import json, os

from tidewell import BOOKED, NO_BROKER, Marketplace, dead_letters, fail, note_write, pill, query, within

NONCE = os.environ["NONCE"]


def main():
    kinds = ("comma", "cut", "latin", "list", "none")
    first = int(NONCE[:4], 16) % 5
    letters = [pill(kinds[(first + step) % 5], f"MP-bad-{NONCE}-{step}") for step in (0, 1 + int(NONCE[4:8], 16) % 4)]
    feed = Marketplace()
    good = []
    for number, letter in enumerate(letters):
        feed.publish(letter, f"MP-bad-{NONCE}-{number}")
        order = {"order_id": f"MP-next-{NONCE}-{number}", "source": "marketplace", "item": "kettle", "quantity": 1, "amount_cents": 3450,
                 "customer": f"Next {NONCE}", "note": f"lot {number}"}
        note_write("attempted", "ledger", order["order_id"], "marketplace", "kettle", 1, 3450, f"lot {number}")
        feed.publish(json.dumps(order).encode(), order["order_id"])
        good.append("|".join(str(value) for value in order.values()))
    if not within(11, lambda: sorted(query(f"{BOOKED} WHERE customer = 'Next {NONCE}'") or []) == good):
        fail("an order from the marketplace is not booked in time")
    if not within(5, lambda: set(letters) <= set(dead_letters())):
        fail("a message that cannot be booked is not put aside as it came")
    seen = dead_letters()
    if any(seen.count(letter) > 1 for letter in letters):
        fail("a message that cannot be booked is put aside more than once")
    print("messages that cannot be booked are put aside, and hold up nobody")


try:
    main()
except NO_BROKER:
    fail("the broker does not answer as a broker does")
PY
