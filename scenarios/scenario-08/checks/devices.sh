# Each device logs in as itself, may send its readings, and finds its settings.
# with checks/mqtt.py
exec python3 - <<'PY'
import os, struct, sys

sys.path.append("/opt/probe")
from mqtt import Client, fail, topic
from records import note

NONCE = os.environ["NONCE"]
DEVICES = dict(entry.split(":", 1) for entry in os.environ["DEVICES"].split())


def main():
    for name, password in DEVICES.items():
        device = Client(name, name, password)
        if device.code != 0:
            fail(f"the broker turns {name} away")
        note("attempted", {"writes": {"readings": [f"{name} {NONCE}", "4.50", 80, ""]}})
        if not device.publish(topic(name, "reading"), f'{{"id": "{NONCE}", "value": 4.5, "battery": 80}}'):
            fail(f"the broker takes no readings from {name}")
        device.subscribe(topic(name, "set"))
        device.settle()
        if not any(where == topic(name, "set") and "interval_s" in what for where, what in device.messages):
            fail(f"{name} does not find its settings")
    print("every device logs in, sends and finds its settings")


try:
    main()
except (OSError, EOFError, IndexError, struct.error):
    fail("the broker does not answer as a broker does")
PY
