"""One look at a service, in a process of its own: it ends when its time is up, wherever it waits, and goes first when memory runs
out. What it reads by path it reads in the root of the service. See inspect_service.py for orders and looks.py for what it does."""

import json
import os
import signal
import sys
import time

from hostile import FOLDER, Hashes, Unobservable
from looks import Looks

MAX_REPLY = 6 * 1024 * 1024
MAX_DEPTH = 4096


def enter(service):
    """Makes the root of the service the root of this process: that of its mounts, whatever its main process made its own."""
    folder = os.open("root", os.O_PATH | os.O_DIRECTORY, dir_fd=service)
    for _ in range(MAX_DEPTH):
        above = os.open("..", os.O_PATH | os.O_DIRECTORY, dir_fd=folder)
        here, there = os.fstat(folder), os.fstat(above)
        os.close(folder)
        folder = above
        if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
            break
    else:
        raise Unobservable("the root of the service cannot be found")
    os.fchdir(folder)
    os.chroot(".")
    # From here on every path is the sandbox's: nothing more is imported.
    sys.path.clear()
    sys.meta_path.clear()


def look(service, order):
    try:
        proc = os.open("/proc", FOLDER)
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # when memory runs out, a look goes before those who wait for it
        looks = Looks(proc, service, Hashes())
        enter(service)
        reply = getattr(looks, f"look_{order['look']}")(order)
    except Exception as error:
        reply = {"failed": f"{type(error).__name__}: {error}"}
    text = json.dumps({"id": order["id"], **reply})
    if len(text) > MAX_REPLY:
        text = json.dumps({"id": order["id"], "failed": "there is more to see than can be told"})
    return text.encode()


class Look:
    """A process that waits for an order, looks once, and says what it saw."""

    def __init__(self, service):
        self.said = b""
        orders, self.orders = os.pipe()
        self.pipe, words = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            code = 1
            try:
                os.setpgid(0, 0)
                os.close(self.orders)
                self.run(service, orders, words)
                code = 0
            finally:
                os._exit(code)
        os.close(orders)
        os.close(words)

    def run(self, service, orders, words):
        with os.fdopen(orders, "rb") as given:
            text = given.read()
        if not text:
            return  # nobody asks any more
        order, deadline = json.loads(text)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))  # ends it wherever it waits
        reply = memoryview(look(service, order))
        while reply:
            reply = reply[os.write(words, reply) :]

    def give(self, order, deadline):
        self.order = order
        try:
            with os.fdopen(self.orders, "wb") as orders:
                orders.write(json.dumps([order, deadline]).encode())
        except BrokenPipeError:
            pass  # it was cut off, and will be reported so

    def read(self):
        """Whether there may be more."""
        part = os.read(self.pipe, 1024 * 1024)
        self.said += part
        return bool(part)

    def end(self):
        """What is to be answered."""
        os.close(self.pipe)
        status = os.waitpid(self.child, 0)[1]
        if status == 0:
            return self.said
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        failed = {"failed": "it took too long", "timed_out": True} if late else {"failed": "the look into the service was cut off"}
        return json.dumps({"id": self.order["id"], **failed}).encode()
