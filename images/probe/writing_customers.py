"""Customers who write without a pause, so that whatever is killed meanwhile is in the middle of their writes.

They perform acts (see visit.py) that have `writes`, and note them (see records.py). Once enough was confirmed the answer is given, and
they go on: each until its first failure, and not for long. So the last writes were confirmed just before the kill, however long it took.
"""

import threading
import time

import visit

PAUSE_SECONDS = 0.05
AFTER_SECONDS = 4


def write(order):
    """{"acts", "concurrency", "confirmed", "least_seconds", "seconds"} -> {"confirmed"}

    Answers when so many writes were confirmed and the least time has passed, and after `seconds` in any case."""
    began = time.monotonic()
    enough, told, counting, confirmed = threading.Event(), threading.Event(), threading.Lock(), [0]

    def writer(index):
        acts = order["acts"]
        while time.monotonic() < began + order["seconds"] + AFTER_SECONDS:
            wrong, _ = visit.perform(acts[index % len(acts)])
            index += 1
            if wrong is None:
                with counting:
                    confirmed[0] += 1
                    if confirmed[0] >= order["confirmed"]:
                        enough.set()
            elif told.is_set():
                return
            else:
                time.sleep(PAUSE_SECONDS)

    for index in range(order["concurrency"]):
        threading.Thread(target=writer, args=(index,), daemon=True).start()
    time.sleep(order["least_seconds"])
    enough.wait(order["seconds"] - order["least_seconds"])
    told.set()
    return {"confirmed": confirmed[0]}
