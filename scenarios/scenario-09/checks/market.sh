# The marketplace hands in an order of its own customers, straight at the broker.
# with checks/tidewell.py
exec python3 - <<'PY'
import json, os, sys

from tidewell import NO_BROKER, Marketplace, note_write

# What the broker has confirmed is written down: it has to be in the ledger some day.
NONCE = os.environ["NONCE"]
number = int(NONCE[:6], 16)
order = {"order_id": f"MP-{NONCE}", "source": "marketplace", "item": ("lamp", "kettle", "vase")[number % 3], "quantity": 1 + number % 5,
         "amount_cents": 1000 + number % 7000, "customer": f"Marketplace {number % 97}", "note": f"lot {number}"}
row = [order["order_id"], "marketplace", order["item"], order["quantity"], order["amount_cents"], order["note"]]
note_write("attempted", "ledger", *row)
try:
    Marketplace().publish(json.dumps(order).encode(), order["order_id"])
except NO_BROKER:
    print("the marketplace cannot hand in an order")
    sys.exit(1)
note_write("acknowledged", "ledger", *row)
with open("/tmp/marketplace.log", "a") as log:
    log.write("|".join(str(order[field]) for field in ("order_id", "source", "item", "quantity", "amount_cents", "customer", "note")) + "\n")
PY
