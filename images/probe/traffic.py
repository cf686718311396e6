"""Background customers: does the given acts (see visit.py) at the given rates until the end of the sandbox.

Argument: [{"rate": 2.0, "http" or "script": {...}}, ...].
The file PACE, where it exists, holds a number that every rate is multiplied by; it may change at any moment.
"""

import json
import random
import sys
import threading
import time

import visit

PACE = "/run/traffic-pace"
STEP_SECONDS = 0.25


def pace():
    try:
        with open(PACE) as file:
            return float(file.read())
    except (OSError, ValueError):
        return 1.0


def wait_for_customer(rate):
    """Customers come at random; a change of pace counts from the moment it is made."""
    due = random.expovariate(1)
    while due > 0:
        now = rate * pace()
        seconds = min(STEP_SECONDS, due / now) if now > 0 else STEP_SECONDS
        time.sleep(seconds)
        due -= now * seconds


def come_and_go(source):
    while True:
        wait_for_customer(source["rate"])
        visit.pay(source)


for source in json.loads(sys.argv[1]):
    threading.Thread(target=come_and_go, args=(source,)).start()
