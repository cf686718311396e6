"""Customers who write without a pause, so that whatever is killed then is in the middle of their writes.

They perform acts (see visit.py) that have `writes`, and note them (see records.py). Once enough was confirmed they end, each after the
act that it is at, and the answer is given at once. So a kill that follows finds writes that were confirmed a moment before, and
whatever a service does with them later still under way.
"""

import threading
import time

import visit

PAUSE_SECONDS = 0.05


def write(order):
    """{"acts", "concurrency", "confirmed", "least_seconds", "seconds"} -> {"confirmed"}

    Answers when so many writes were confirmed and the least time has passed, and after `seconds` in any case."""
    enough, ended, counting, confirmed = threading.Event(), threading.Event(), threading.Lock(), [0]

    def writer(index):
        acts = order["acts"]
        while not ended.is_set():
            wrong, _ = visit.perform(acts[index % len(acts)])
            index += 1
            if wrong is not None:
                ended.wait(PAUSE_SECONDS)
                continue
            with counting:
                confirmed[0] += 1
                if confirmed[0] >= order["confirmed"]:
                    enough.set()

    for index in range(order["concurrency"]):
        threading.Thread(target=writer, args=(index,), daemon=True).start()
    time.sleep(order["least_seconds"])
    enough.wait(order["seconds"] - order["least_seconds"])
    ended.set()
    return {"confirmed": confirmed[0]}
