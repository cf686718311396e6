# Messages that nobody can book, each followed by a good one: the good are booked, the others put aside, once and as they came.
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


def pill(kind, identity):
    """A message that nobody can book."""
    order = {"order_id": identity, "source": "marketplace", "item": "vase", "quantity": 2, "amount_cents": 5500,
             "customer": "Marketplace", "note": "lot " + identity[-6:]}
    if kind == "comma":
        order["amount_cents"] = "55,00"
    if kind == "list":
        order = [order]
    text = json.dumps(order)
    if kind == "cut":
        text = text[:-19]
    return text.encode() if kind != "latin" else text.replace("Marketplace", "Märkt").encode("latin-1")


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
    kinds = ("comma", "cut", "latin", "list")
    first = int(NONCE[:4], 16) % 4
    letters = [pill(kinds[(first + step) % 4], f"MP-bad-{NONCE}-{step}") for step in (0, 1 + int(NONCE[4:8], 16) % 3)]
    feed = Broker("marketplace", os.environ["PASSWORD"])
    good = []
    for number, letter in enumerate(letters):
        feed.publish(letter, f"MP-bad-{NONCE}-{number}")
        order = {"order_id": f"MP-next-{NONCE}-{number}", "source": "marketplace", "item": "kettle", "quantity": 1, "amount_cents": 3450,
                 "customer": f"Next {NONCE}", "note": f"lot {number}"}
        feed.publish(json.dumps(order).encode(), order["order_id"])
        good.append("|".join(str(value) for value in order.values()))
    if not within(11, lambda: sorted(query(f"{BOOKED} WHERE customer = 'Next {NONCE}'") or []) == good):
        fail("orders wait behind a message that cannot be booked")
    if not within(5, lambda: set(letters) <= set(dead_letters())):
        fail("a message that cannot be booked is not put aside as it came")
    seen = dead_letters()
    if any(seen.count(letter) > 1 for letter in letters):
        fail("a message that cannot be booked is put aside more than once")
    print("messages that cannot be booked are put aside, and hold up nobody")


try:
    main()
except (Refused, OSError, struct.error):
    fail("the broker does not answer as a broker does")
PY
