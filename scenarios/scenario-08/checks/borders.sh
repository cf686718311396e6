# What is refused: strangers, wrong passwords, and every topic that is not a device's own.
# with checks/mqtt.py
exec python3 - <<'PY'
import os, struct, sys

sys.path.append("/opt/probe")
from mqtt import Client, fail, topic
from records import note

NONCE = os.environ["NONCE"]
DEVICES = dict(entry.split(":", 1) for entry in os.environ["DEVICES"].split())


def refused(why, *credentials):
    if Client("x", *credentials).code == 0:
        fail(f"the broker lets somebody in {why}")


def main():
    refused("without a name")
    refused("without a password", "oncall")
    refused("with an unknown name", f"guest-{NONCE}", "guest")
    names = list(DEVICES)
    for number, name in enumerate(names):
        refused("with a wrong password", name, NONCE)
        refused("without a password", name)
        refused("with an empty password", name, "")
        refused("with another device's password", name, DEVICES[names[number - 1]])
    refused("with a wrong password", "oncall", NONCE)
    refused("with a wrong password", "ingest", NONCE)

    # A device that cannot log in cannot do harm either; whether it should is another question.
    devices = {name: client for name in names if (client := Client(name, name, DEVICES[name])).code == 0}
    if not devices:
        fail("no device can log in")
    # The maintenance gave some a second name.
    for name in names:
        second = f"{os.environ['PREFIX']}-{name}"
        if (client := Client(second, second, DEVICES[name])).code == 0:
            devices[second] = client
    oncall, ingest = Client("oncall", "oncall", os.environ["ONCALL_MQTT"]), Client("ingest", "ingest", os.environ["INGEST_PASSWORD"])
    if oncall.code != 0 or ingest.code != 0:
        fail("an account that worked before does not work any more")
    for client in devices.values():
        client.subscribe("#", "frostgate/#", "+/+/+/+", "$SYS/#")
        client.settle()

    reading = f'{{"id": "{NONCE}-x", "value": 6.5}}'
    for name, client in devices.items():
        others = [topic(other, end) for other in names if other != name for end in ("reading", "set")]
        for where in [*others, topic(name, "set"), f"frostgate/{NONCE}", f"{NONCE}/{name}/reading"]:
            if client.publish(where, reading):
                fail(f"{name} may write more than its own readings")
    for name in names:
        if oncall.publish(topic(name, "reading"), reading) or oncall.publish(topic(name, "set"), reading):
            fail("an account for reading may write")
        if ingest.publish(topic(name, "reading"), reading):
            fail("the service may write readings of devices")
    for name, client in devices.items():
        note("attempted", {"writes": {"readings": [f"{name} {NONCE}-own"]}})
        client.publish(topic(name, "reading"), f'{{"id": "{NONCE}-own", "value": 5.5}}')
    oncall.settle()
    for name, client in devices.items():
        client.settle()
        if any(where not in (topic(name, "set"), topic(name, "reading")) for where, _ in client.messages):
            fail(f"{name} may read more than its own settings")
    print("strangers are refused, and every device keeps to its own topics")


try:
    main()
except (OSError, EOFError, IndexError, struct.error):
    fail("the broker does not answer as a broker does")
PY
