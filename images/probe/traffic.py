"""Background traffic: performs the given acts (see visit.py) at the given rates until the sandbox ends.

Argument: [{"rate": 2.0, "http" or "script": {...}}, ...].
The file PACE, where it exists, holds a number that every rate is multiplied by; it may change at any moment.
What customers were told is recorded in MEMORY/<index of the act>: a line with the time, the nonce and the beginning of the
answer for every successful act that has a nonce, so that checks can verify it later.
"""

import json
import os
import random
import sys
import threading
import time

import customer
import shell_script
import visit
from records import ACKNOWLEDGED, ATTEMPTED, note

PACE = "/run/traffic-pace"
MEMORY = "/run/customers"
STEP_SECONDS = 0.25
MOST_OF_ANSWER = 500


def pace():
    try:
        with open(PACE) as file:
            return float(file.read())
    except (OSError, ValueError):
        return 1.0


def wait_for_customer(rate):
    """Waits for a random time (a Poisson process); a change of pace takes effect immediately."""
    due = random.expovariate(1)
    while due > 0:
        now = rate * pace()
        seconds = min(STEP_SECONDS, due / now) if now > 0 else STEP_SECONDS
        time.sleep(seconds)
        due -= now * seconds


def promise(act):
    """Returns the answer; None if the act failed."""
    if "http" in act:
        answer = customer.request(act["http"])
        return answer["body"] if 200 <= answer.get("status", 0) < 300 else None
    answer = shell_script.run(act["script"])
    return answer["stdout"] if answer["exit_code"] == 0 else None


def visit_once(index, source):
    act, nonce = visit.fill(source)
    note(ATTEMPTED, act)
    answer = promise(act)
    if answer is not None:
        note(ACKNOWLEDGED, act)
    if answer is not None and nonce is not None:
        with open(f"{MEMORY}/{index}", "a", encoding="utf-8", errors="replace") as memory:
            memory.write(f"{time.time():.3f} {nonce} {' '.join(answer.split())[:MOST_OF_ANSWER]}\n")


def repeat(index, source):
    while True:
        wait_for_customer(source["rate"])
        try:
            visit_once(index, source)
        except Exception as error:  # the next act is tried all the same
            print(f"{type(error).__name__}: {error}", file=sys.stderr)


os.makedirs(MEMORY, exist_ok=True)
for index, source in enumerate(json.loads(sys.argv[1])):
    threading.Thread(target=repeat, args=(index, source)).start()
