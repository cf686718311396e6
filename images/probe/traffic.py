"""Background customers: sends the given requests at the given rates until the end of the sandbox.

Argument: [{"rate": 2.0, "url": ..., "method"?, "headers"?, "body"?}, ...]; "{{nonce}}" is fresh in each request.
The file PACE, where it exists, holds a number that every rate is multiplied by; it may change at any moment.
"""

import json
import random
import secrets
import sys
import threading
import time

import customer

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


def visit(source):
    while True:
        wait_for_customer(source["rate"])
        nonce = secrets.token_hex(8)
        order = {key: value.replace("{{nonce}}", nonce) if isinstance(value, str) else value for key, value in source.items()}
        customer.request(order)


for source in json.loads(sys.argv[1]):
    threading.Thread(target=visit, args=(source,)).start()
