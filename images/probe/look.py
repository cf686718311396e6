"""Runs one inspection ("look") of a service in a process of its own, which is killed when its time is up and is the first to be
killed when memory runs out. Paths are resolved in the root of the service. inspect_service.py describes the requests, looks.py
implements them."""

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
    """Changes the root of this process to the root of the service's mount namespace, even if its main process has called chroot."""
    folder = os.open("root", os.O_PATH | os.O_DIRECTORY, dir_fd=service)
    for _ in range(MAX_DEPTH):
        above = os.open("..", os.O_PATH | os.O_DIRECTORY, dir_fd=folder)
        here, there = os.fstat(folder), os.fstat(above)
        os.close(folder)
        folder = above
        if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
            break
    else:
        raise Unobservable("the root directory of the service cannot be found")
    os.fchdir(folder)
    os.chroot(".")
    # From here on every path is the sandbox's: nothing more is imported.
    sys.path.clear()
    sys.meta_path.clear()


def look(service, order):
    try:
        proc = os.open("/proc", FOLDER)
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # when memory runs out, this process is killed first
        looks = Looks(proc, service, Hashes())
        enter(service)
        reply = getattr(looks, f"look_{order['look']}")(order)
    except Exception as error:
        reply = {"failed": f"{type(error).__name__}: {error}"}
    text = json.dumps({"id": order["id"], **reply})
    if len(text) > MAX_REPLY:
        text = json.dumps({"id": order["id"], "failed": "the answer is too long"})
    return text.encode()


class Look:
    """A process that waits for one request, answers it and exits."""

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
            return  # the server has closed the pipe: there is no request
        order, deadline = json.loads(text)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))  # SIGALRM kills it wherever it blocks
        reply = memoryview(look(service, order))
        while reply:
            reply = reply[os.write(words, reply) :]

    def give(self, order, deadline):
        self.order = order
        try:
            with os.fdopen(self.orders, "wb") as orders:
                orders.write(json.dumps([order, deadline]).encode())
        except BrokenPipeError:
            pass  # it was killed; end() reports that

    def read(self):
        """Returns whether there may be more."""
        part = os.read(self.pipe, 1024 * 1024)
        self.said += part
        return bool(part)

    def end(self):
        """Returns the answer."""
        os.close(self.pipe)
        status = os.waitpid(self.child, 0)[1]
        if status == 0:
            return self.said
        timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        failed = {"failed": "it timed out", "timed_out": True} if timed_out else {"failed": "the inspection was killed"}
        return json.dumps({"id": self.order["id"], **failed}).encode()
