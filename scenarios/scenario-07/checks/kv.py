"""The three machines, their sentinels and the shop, seen from outside. TASK says what is looked at."""

import hashlib, http.client, json, os, secrets, socket, sys, time

sys.path.append("/opt/probe")
from records import note

TASK, GROUP, NONCE = os.environ["TASK"], os.environ["GROUP"], os.environ.get("NONCE", "")
ORDERS = 10
MACHINES = ["kv-1", "kv-2", "kv-3"]


class Refused(Exception):
    pass


def fail(text):
    print(text)
    sys.exit(1)


class Redis:
    def __init__(self, machine, port=6379, user=None, password=None):
        self.machine, self.port = machine, port
        self.stream = socket.create_connection((machine, port), 12)
        self.file = self.stream.makefile("rb")
        if password is not None:
            self.ask("AUTH", *([user] if user else []), password)

    def ask(self, *words):
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.stream.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        return self.answer()

    def answer(self):
        line = self.file.readline(65_536)
        if not line.endswith(b"\r\n"):
            raise OSError("closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise Refused(rest.decode("utf-8", "replace"))
        if kind == b"+":
            return rest.decode()
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode("utf-8", "replace")
        if kind == b"*":
            items, wrong = [], None
            for _ in range(int(rest)):
                try:
                    items.append(self.answer())
                except Refused as error:
                    wrong = error
            if wrong:
                raise wrong
            return items
        raise OSError("not Redis")

    def pairs(self, *words):
        flat = self.ask(*words)
        return dict(zip(flat[::2], flat[1::2]))


def login(machine, user):
    try:
        return Redis(machine, 6379, user, os.environ[f"{user.upper()}_PASSWORD"])
    except Refused:
        fail(f"the login of {user} does not work on {machine}")
    except OSError:
        fail(f"redis on {machine} does not answer")


def sentinel(machine):
    try:
        return Redis(machine, 26379, None, os.environ["SENTINEL_PASSWORD"])
    except Refused:
        fail(f"the sentinel on {machine} does not take its password")
    except OSError:
        fail(f"the sentinel on {machine} does not answer")


def address(machine):
    return socket.gethostbyname(machine)


def http_ask(method, path, status, complaint, data=None, patience=14):
    site = http.client.HTTPConnection("shop", 8000, timeout=patience)
    try:
        site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
        answer = site.getresponse()
        content = answer.read(200_000)
        if answer.status != status:
            fail(f"{complaint} ({answer.status})")
        return json.loads(content)
    except (OSError, ValueError, http.client.HTTPException):
        fail("the shop does not answer")
    finally:
        site.close()


def place(reference, customer):
    """An order, from an empty basket to the confirmation."""
    basket = f"b-{reference}"
    http_ask("PUT", f"/api/baskets/{basket}/items/plaice", 200, "a basket cannot be filled", {"quantity": 2})
    http_ask("PUT", f"/api/baskets/{basket}/items/shrimp", 200, "a basket cannot be filled", {"quantity": 1})
    order = {"client_reference": reference, "basket": basket, "customer": customer}
    row = {"writes": {"orders": [reference, customer, '{"plaice": 2, "shrimp": 1}', 5170, "-1"]}}
    note("attempted", row)
    made = http_ask("POST", "/api/orders", 201, "an order was refused", order)
    note("acknowledged", row)
    return order, made


def roles():
    """Who is master, who follows it. Exactly one, and both others, in sync."""
    seen = {machine: login(machine, "oncall").ask("ROLE") for machine in MACHINES}
    masters = [machine for machine, role in seen.items() if role[0] == "master"]
    if len(masters) != 1:
        fail(f"{len(masters)} of three machines are master")
    for machine, role in seen.items():
        if role[0] != "master" and (role[1] != address(masters[0]) or role[3] != "connected"):
            fail(f"{machine} does not follow the master ({role[3]})")
    return masters[0]


def agree():
    master = roles()
    for machine in MACHINES:
        watch = sentinel(machine)
        try:
            host, port = watch.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", GROUP) or (None, None)
            known = watch.pairs("SENTINEL", "MASTER", GROUP)
            replicas = [dict(zip(entry[::2], entry[1::2])) for entry in watch.ask("SENTINEL", "REPLICAS", GROUP)]
            others = [dict(zip(entry[::2], entry[1::2])) for entry in watch.ask("SENTINEL", "SENTINELS", GROUP)]
        except Refused as error:
            fail(f"the sentinel on {machine} knows nothing of the group: {error}")
        if (host, port) != (address(master), "6379"):
            fail(f"the sentinel on {machine} takes another machine for the master")
        if known["flags"] != "master":
            fail(f"the sentinel on {machine} sees the master as {known['flags']}")
        if known["quorum"] != "2":
            fail(f"the sentinel on {machine} wants {known['quorum']} votes")
        if int(known["down-after-milliseconds"]) > 10_000 or int(known["failover-timeout"]) > 20_000:
            fail(f"the sentinel on {machine} waits for too long")
        if any("script" in setting for setting in known):
            fail(f"the sentinel on {machine} would run a program of somebody's at a failover")
        wanted = {address(other) for other in MACHINES if other != master}
        usable = {entry["ip"] for entry in replicas if entry["flags"] == "slave" and entry["slave-priority"] != "0"}
        if not wanted <= usable:
            fail(f"the sentinel on {machine} knows {len(wanted & usable)} replicas that it could make master")
        near = {entry["ip"] for entry in others if entry["flags"] == "sentinel"}
        if near != {address(other) for other in MACHINES if other != machine}:
            fail(f"the sentinel on {machine} is in touch with {len(near)} other sentinels")
        try:
            watch.ask("SENTINEL", "CKQUORUM", GROUP)
        except Refused as error:
            fail(f"the sentinel on {machine} says {error}")
    print("one master, two replicas in sync, three sentinels that agree")


def order():
    http_ask("GET", "/api/products", 200, "products cannot be listed")
    wanted, made = place(f"desk-{NONCE}", f"Desk {NONCE[:8]}")
    if made.get("total_cents") != 2 * 1490 + 2190 or made.get("items") != {"plaice": 2, "shrimp": 1}:
        fail("an order is not what was in the basket")
    if http_ask("POST", "/api/orders", 200, "an order that was sent twice was not recognised", wanted) != made:
        fail("an order that was sent twice was not recognised")
    if http_ask("GET", f"/api/baskets/{wanted['basket']}", 200, "a basket cannot be read")["items"]:
        fail("an order left its basket full")
    if http_ask("GET", f"/api/orders/desk-{NONCE}", 200, "an order cannot be read back") != made:
        fail("an order cannot be read back")
    kept = []
    for machine in MACHINES:
        try:
            kept.append(Redis(machine, 6379, "oncall", os.environ["ONCALL_PASSWORD"]).pairs("HGETALL", f"order:desk-{NONCE}").get("customer"))
        except (OSError, Refused):
            pass
    if kept.count(wanted["customer"]) < 2:
        fail(f"an order is on {kept.count(wanted['customer'])} machines")
    print("an order was placed, recognised, read back and found on two machines at least")


def hold():
    """Customers, before anything went wrong."""
    token, site = secrets.token_hex(6), http.client.HTTPConnection("shop", 8000, timeout=8)
    for number in range(ORDERS):
        name = f"web-{token}-{number}"
        customer = ["Gesa Harms", "Falk Ihnen", "Imke Meints"][number % 3] + f" {secrets.token_hex(3)}"
        note("attempted", {"writes": {"orders": [name]}})
        for method, path, data in (("PUT", f"/api/baskets/{name}/items/cod", {"quantity": number + 1}),
                                   ("POST", "/api/orders", {"client_reference": name, "basket": name, "customer": customer})):
            site.request(method, path, json.dumps(data), {"Content-Type": "application/json"})
            answer = site.getresponse()
            answer.read(100_000)
            if answer.status >= 400:
                fail("an order was refused")
    for _ in range(20):
        seen = {contents(machine, token) for machine in MACHINES}
        if len(seen) == 1:
            break
        time.sleep(0.1)
    else:
        fail("replicas do not follow")
    print(f"{token} {seen.pop()}")


def contents(machine, token):
    reader = login(machine, "oncall")
    names = [f"order:web-{token}-{number}" for number in range(ORDERS)]
    found = [reader.pairs("HGETALL", name) for name in names if reader.ask("TTL", name) == -1]
    return f"{sum(map(bool, found))} orders, " + hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:32]


def held():
    token, wanted = os.environ["HELD"].split(" ", 1)
    for machine in MACHINES:
        seen = contents(machine, token)
        if seen != wanted:
            fail(f"{machine} has {seen.split(',')[0]} of those that were confirmed, or others" if seen[:2] != wanted[:2] else f"orders on {machine} were altered")
    print("every order that was confirmed is on every machine, unaltered")


def settled():
    """Whether there is one master; machines that have just been started are told their place by the sentinels."""
    try:
        return [Redis(machine, 6379, "oncall", os.environ["ONCALL_PASSWORD"]).ask("ROLE")[0] for machine in MACHINES].count("master") == 1
    except (OSError, Refused):
        return False


def drill():
    """The master falls silent for some seconds. Another one takes over, and orders go on."""
    until = time.monotonic() + 6
    while not settled() and time.monotonic() < until:
        time.sleep(0.3)
    before = roles()
    old = login(before, "admin")
    old.ask("CLIENT", "PAUSE", 7000, "ALL")
    started = time.monotonic()
    while True:
        if time.monotonic() - started > 15:
            fail("the master fell silent, and no other took over")
        time.sleep(0.3)
        try:
            said = {tuple(Redis(machine, 26379, None, os.environ["SENTINEL_PASSWORD"]).ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", GROUP) or ()) for machine in MACHINES}
        except (OSError, Refused):
            continue
        if len(said) == 1 and said != {(address(before), "6379")}:
            break
    http_ask("PUT", f"/api/baskets/drill-{NONCE}/items/cod", 200, "a basket cannot be filled after the master fell silent", {"quantity": 1})
    print(f"another master took over after {time.monotonic() - started:.0f} s")


try:
    {"agree": agree, "order": order, "hold": hold, "held": held, "drill": drill}[TASK]()
except (OSError, Refused, KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
    fail(f"an answer was not understood ({type(error).__name__})")
