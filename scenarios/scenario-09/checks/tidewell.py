"""What the marketplace hands in, and what the ledger and the queue of dead letters hold."""

import base64, json, os, struct, subprocess, sys, time, urllib.error, urllib.request

sys.path.append("/opt/probe")
from amqp_client import Amqp, Refused
from records import note  # a process for each note would cost more memory than the customers have
from store_stream import Unreadable

COLUMNS = "order_id, source, item, quantity, amount_cents, customer, note"
BOOKED = f"SELECT {COLUMNS} FROM public.ledger"
# What a broker that does not answer as it should is met with.
NO_BROKER = (Refused, Unreadable, OSError, EOFError, struct.error)


class Marketplace:
    """Hands in orders at the broker. One that was just started needs a moment."""

    def __init__(self):
        self.broker = Amqp("mq", 5672, "marketplace", os.environ["PASSWORD"], "tidewell", seconds=20, patience=15)
        self.broker.confirm_what_is_published()

    def publish(self, body, identity):
        self.broker.publish("orders", "order.marketplace", body, identity, "marketplace-feed")


def fail(message):
    print(message)
    sys.exit(1)


def ask(url, data=None, login=None):
    headers = {"Content-Type": "application/json"}
    if login:
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    request = urllib.request.Request(url, headers=headers, data=None if data is None else json.dumps(data).encode())
    try:
        with urllib.request.urlopen(request, timeout=8) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None
    except (OSError, ValueError):
        return 0, None


def note_write(state, name, *row):
    """Tells grading what this check writes, or what somebody was told is written."""
    note(state, {"writes": {name: row}})


def query(sql):
    run = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "tidewell", "-X", "-q", "-A", "-t", "-c", sql], capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode == 0 else None


def dead_letters():
    """What lies in the queue of dead letters; it stays there."""
    status, letters = ask("http://mq:15672/api/queues/tidewell/orders.dead/get",
                          {"count": 5000, "ackmode": "ack_requeue_true", "encoding": "base64"}, os.environ["ONCALL"])
    return [base64.b64decode(letter["payload"]) for letter in letters] if status == 200 else []


def within(seconds, what):
    until = time.monotonic() + seconds
    while not (seen := what()) and time.monotonic() < until:
        time.sleep(0.3)
    return seen


def pill(kind, identity):
    """A message that nobody can book."""
    order = {"order_id": identity, "source": "marketplace", "item": "vase", "quantity": 2, "amount_cents": 5500,
             "customer": "Marketplace", "note": "lot " + identity[-6:]}
    if kind == "comma":
        order["amount_cents"] = "55,00"
    if kind == "none":
        order["quantity"] = 0
    if kind == "list":
        order = [order]
    text = json.dumps(order)
    if kind == "cut":
        text = text[:-19]
    return text.encode() if kind != "latin" else text.replace("Marketplace", "Märkt").encode("latin-1")
