"""Inspects a service from outside: files, processes and sockets as the kernel shows them. No program of the service takes
part, and none can see this one. Arguments: the pid of the service's main process, and the id of its container; without
arguments it waits for them as one line, before the first order.
One JSON object a line: {"id", "look", "within_ms"?, ...} -> {"id", ...}, or {"id", "failed", "timed_out"?} for what cannot be seen.

look: file       {"path"} -> {"entries": [{"path", "type", "mode", "uid", "gid", "size", "text"?}]}; the path may hold * and ?
      processes  -> {"processes": [{"pid", "parent", "uid", "privileged", "executable", "sha256", "preload", "maps": [{"path", "sha256", "ctime"}]}]};
                 mapped files that cannot have changed after {"since"} are not read: their sha256 is null, and those
                 whose change would leave no trace have no ctime
      listeners  -> {"listeners": [{"port", "address", "pid", "uid", "privileged", "executable", "sha256"}]}
      peers      -> {"peers": [{"address", "port"}]}: outgoing connections of the service, sampled for a moment
      preload    -> {"text"}: /etc/ld.so.preload
      powers     {"paths"} -> {"paths"}: those that are setuid or setgid, or have file capabilities
      trees      {"paths"} -> {"entries": {path: digest}}: every file and folder below, with a digest of content, mode and owner

Each request ("look") runs in a process of its own, bounded in time, memory and output; this process reads nothing of the sandbox.
"""

import gc
import hashlib
import json
import os
import resource
import selectors
import signal
import sys
import time

from hostile import Gone
from look import Look
from main_process import open_main

LOOK_MS = 8_000
MOST_AT_ONCE = 4
MAX_MEMORY = 384 * 1024 * 1024
MAX_IDLE_SECONDS = 900


class Server:
    """Reads requests and passes each to a process that was forked in advance."""

    def __init__(self, service):
        self.service, self.held = service, b""
        self.waiting, self.running, self.ready = [], set(), Look(service)
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def take_orders(self):
        """Whether there may be more."""
        part = os.read(0, 65_536)
        *orders, self.held = (self.held + part).split(b"\n")
        for order in map(json.loads, orders):
            self.waiting.append((order, time.monotonic() + order.get("within_ms", LOOK_MS) / 1000))
        return bool(part)

    def start(self):
        started, self.ready = self.ready, None
        self.running.add(started)
        self.selector.register(started.pipe, selectors.EVENT_READ, started)
        started.give(*self.waiting.pop(0))
        self.ready = Look(self.service)

    def finish(self, ended):
        self.selector.unregister(ended.pipe)
        self.running.discard(ended)
        sys.stdout.buffer.write(ended.end() + b"\n")
        sys.stdout.buffer.flush()

    def run(self):
        while events := self.selector.select(MAX_IDLE_SECONDS):
            for key, _ in events:
                if key.data is None and not self.take_orders():
                    return
                if key.data is not None and not key.data.read():
                    self.finish(key.data)
            while self.waiting and len(self.running) < MOST_AT_ONCE:
                self.start()

    def kill(self):
        for started in self.running:
            os.kill(started.child, signal.SIGKILL)


def read_line():
    """Nothing beyond it: what follows are orders."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(0, 1)
        if not part:
            sys.exit()  # nobody needs this one any more
        line += part
    return line.decode()


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    gc.freeze()  # keeps the memory that forked processes share with this one shared
    gc.disable()
    hashlib.sha256(b"").hexdigest()  # loads the library now: later, the root directory is that of the sandbox
    try:
        service = open_main(*(sys.argv[1:] or read_line().split()))
    except Gone:
        sys.exit("this pid is not a process of the service")
    if os.readlink("ns/pid", dir_fd=service) == os.readlink("/proc/self/ns/pid"):
        sys.exit("this pid is not a process of a container")
    server = Server(service)
    try:
        server.run()
    finally:
        server.kill()


main()
