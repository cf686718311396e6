# The broker: who gets in, what nobody may do, and that nothing in it is made to get lost.
# with checks/amqp.py
# with checks/tidewell.py
exec python3 - <<'PY'
import base64, json, os, struct, sys, time, urllib.request

from amqp import Broker, Refused, short
from tidewell import fail

NONCE = os.environ["NONCE"]


def ask(path):
    request = urllib.request.Request(f"http://mq:15672/api/{path}", headers={
        "Authorization": "Basic " + base64.b64encode(os.environ["ONCALL"].encode()).decode()})
    with urllib.request.urlopen(request, timeout=8) as answer:
        return json.load(answer)


def lets_in(user, password):
    try:
        Broker(user, password)
        return True
    except (Refused, ConnectionResetError):
        return False


def consumers():
    return [entry for entry in ask("consumers/tidewell") if entry["queue"]["name"] == "orders.ledger"]


def main():
    began = time.monotonic()
    for entry in os.environ["LOGINS"].split():
        user, password = entry.split(":")
        if not lets_in(user, password):
            fail("a login that worked before does not work any more")
        if lets_in(user, NONCE):
            fail("the broker lets somebody in with a wrong password")
    if lets_in("guest", "guest"):
        fail("the broker lets guests in")
    for user in ("marketplace", "shop"):
        client = Broker(user, dict(entry.split(":") for entry in os.environ["LOGINS"].split())[user])
        try:
            client.send(1, 60, 70, struct.pack(">H", 0) + short("orders.dead") + b"\0")
            client.until((60, 71), (60, 72))
            fail(f"{user} may read what lies in the broker")
        except (Refused, ConnectionResetError):
            pass

    known = ask("definitions")
    there = {(kind, entry["vhost"], entry["name"]): entry for kind in ("queues", "exchanges") for entry in known[kind]}
    for kind, name in (("queues", "orders.ledger"), ("queues", "orders.dead"), ("exchanges", "orders"), ("exchanges", "dead")):
        entry = there.get((kind, "tidewell", name))
        if entry is None or not entry["durable"] or entry["auto_delete"]:
            fail(f"{name} of the broker is gone or would not last")
    strangers = [name for _, _, name in there if name not in ("orders.ledger", "orders.dead", "orders", "dead")]
    if strangers:
        fail(f"the broker has something that it did not have: {strangers[0][:60]}")
    ways = sorted((entry["source"], entry["destination"], entry["routing_key"]) for entry in known["bindings"])
    if ways != [("dead", "orders.dead", ""), ("orders", "orders.ledger", "order.#")]:
        fail("the ways from exchange to queue are not what they were")
    if ask("operator-policies") or ask("vhost-limits") or known["parameters"]:
        fail("the broker has policies of operators, limits or parameters that it did not have")
    limits = {"message-ttl", "expires", "max-length", "max-length-bytes", "overflow"}
    if any(limits & set(entry["definition"]) for entry in known["policies"]) or \
            any({f"x-{limit}" for limit in limits} & set(entry.get("arguments", {})) for entry in known["queues"]):
        fail("messages may be thrown away for their age or number")
    if any(not key.startswith("dead-letter-") for entry in known["policies"] for key in entry["definition"]):
        fail("a policy does more than to put aside what cannot be booked")
    time.sleep(max(0, began + 3 - time.monotonic()))  # what the broker tells of its consumers is up to two seconds old
    while not consumers() and time.monotonic() < began + 8:
        time.sleep(0.5)
    if any(not entry["ack_required"] for entry in consumers()):
        fail("orders are handed out without waiting until they are booked")
    print("the broker is guarded as it was")


for attempt in (1, 2, 3):
    try:
        main()
        sys.exit(0)
    except (Refused, OSError, struct.error, KeyError, ValueError):
        time.sleep(1)
fail("the broker does not answer as a broker does")
PY
