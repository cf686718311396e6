# Every order that somebody was promised is in the ledger once: those of now, and all that came before.
exec python3 - <<'PY'
import base64, json, os, socket, struct, subprocess, sys, time, urllib.error, urllib.request

NONCE = os.environ["NONCE"]


class Refused(Exception):
    pass


def short(text):
    return bytes([len(text)]) + text.encode()


def longer(text):
    return struct.pack(">I", len(text)) + text.encode()


def table(key, kind, value):
    entry = short(key) + kind + value
    return struct.pack(">I", len(entry)) + entry


# A client that says so is told at once that its password is wrong.
CAPABILITIES = table("capabilities", b"F", table("authentication_failure_close", b"t", b"\1"))


class Broker:
    """As much AMQP 0-9-1 as it takes to publish with the broker's confirmation, and to be told what is refused."""

    def __init__(self, user, password):
        self.stream = dial()
        self.stream.sendall(b"AMQP\0\0\x09\x01")
        self.until((10, 10))
        self.send(0, 10, 11, CAPABILITIES + short("PLAIN") + longer(f"\0{user}\0{password}") + short("en_US"))
        self.until((10, 30))
        self.send(0, 10, 31, struct.pack(">HIH", 1, 131072, 0))
        self.send(0, 10, 40, short("tidewell") + short("") + b"\0")
        self.until((10, 41))
        self.send(1, 20, 10, short(""))
        self.until((20, 11))
        self.send(1, 85, 10, b"\0")
        self.until((85, 11))

    def frame(self, kind, channel, payload):
        self.stream.sendall(struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce")

    def send(self, channel, family, method, arguments):
        self.frame(1, channel, struct.pack(">HH", family, method) + arguments)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise Refused("closed")
            data += part
        return data

    def until(self, *wanted):
        """The next of these methods; anything that says no is an error."""
        while True:
            kind, _, size = struct.unpack(">BHI", self.read(7))
            payload = self.read(size + 1)
            method = struct.unpack(">HH", payload[:4]) if kind == 1 else None
            if method in wanted:
                return method
            if method in ((10, 50), (20, 40), (60, 50), (60, 120)):
                raise Refused(str(method))

    def publish(self, body, identity, key="order.marketplace"):
        self.send(1, 60, 40, struct.pack(">H", 0) + short("orders") + short(key) + b"\1")
        properties = short("application/json") + b"\2" + short(identity) + short("marketplace-feed")
        self.frame(2, 1, struct.pack(">HHQH", 60, 0, len(body), 0x9088) + properties)
        self.frame(3, 1, body)
        self.until((60, 80))


def dial():
    """A broker that has just been started needs a moment."""
    until = time.monotonic() + 15
    while True:
        try:
            return socket.create_connection(("mq", 5672), 8)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


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


def query(sql):
    run = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "tidewell", "-X", "-q", "-A", "-t", "-c", sql], capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode == 0 else None


def dead_letters():
    """What lies in the queue of dead letters; it stays there."""
    status, letters = ask("http://mq:15672/api/queues/tidewell/orders.dead/get",
                          {"count": 5000, "ackmode": "ack_requeue_true", "encoding": "base64"}, os.environ["ONCALL"])
    return [base64.b64decode(letter["payload"]) for letter in letters] if status == 200 else []


COLUMNS = "order_id, source, item, quantity, amount_cents, customer, note"
BOOKED = f"SELECT {COLUMNS} FROM public.ledger"


def within(seconds, what):
    until = time.monotonic() + seconds
    while not (seen := what()) and time.monotonic() < until:
        time.sleep(0.3)
    return seen


def main():
    # The shop's customers and the marketplace's, now.
    feed = Broker("marketplace", os.environ["PASSWORD"])
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
except (Refused, OSError, struct.error, AttributeError, KeyError):
    fail("broker or shop do not answer as they should")
PY
