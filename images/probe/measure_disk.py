"""Measures what sandboxes keep on the engine's disk: blocks, not lengths. Runs beside the engine, in its process namespace, with
its folder mounted read-only. One JSON object a line on standard input:

{"id", "folder", "enough", "containers": [{"id", "sandbox", "folders"}]} -> {"id", "free": {"bytes", "files", "total_bytes"},
                                                                             "sandboxes": {sandbox: {"bytes", "hides"}}}

Every file counts for 16 KiB more than it holds, so that a flood of empty files counts too: a disk has room for about one file
in so many bytes. Deleted files that a process holds count whole (see held.py). A sandbox is measured until it has `enough`. It
`hides` when it keeps something that cannot be measured: folders nested beyond reason, more names, open files and mappings than
there is time to look at, processes that are others each time, descriptors that are sent and never received, whatever cannot be
read. That is its own doing and its own loss: the others are measured all the same. {"failed"} where nobody can be measured.

One sandbox after the other, each with its own share of the time. What is remembered of one is forgotten before the next, and
each thing remembered has counted for its 16 KiB, so the memory that all need is that of the worst one.
"""

import json
import os
import select
import stat
import sys
import time

from held import Disk, Processes, count_held, sends
from hostile import ABSENT, FOLDER

INODE_BYTES = 16_384
MAX_DEPTH = 512
MAX_IDLE_SECONDS = 300
MAX_SECONDS, ALL_SECONDS = 2, 20
STEPS_BETWEEN_LOOKS_AT_THE_CLOCK = 64
FLIGHT_SECONDS = 0.2


class Exhausted(Exception):
    """There is more to look at than there is time for."""


class Sandbox:
    def __init__(self, seconds, enough):
        self.seconds = seconds
        self.enough = enough
        self.until = 0.0
        self.steps = 0
        self.folders = []
        self.bytes = 0
        self.hides = False
        self.sends = False
        self.seen = set()

    def spend(self, work, *arguments):
        """Takes its time from no other sandbox."""
        started = time.thread_time()
        self.until = started + self.seconds
        try:
            return self.attempt(work, *arguments)
        except Exhausted:
            self.hides = True
        finally:
            self.seconds -= time.thread_time() - started

    def attempt(self, work, *arguments):
        """Whatever goes wrong goes wrong for this sandbox, and keeps nothing else from being counted."""
        try:
            return work(self, *arguments)
        except Exhausted:
            raise
        except OSError as error:
            if error.errno not in ABSENT:
                self.hides = True
        except Exception:
            self.hides = True

    def step(self):
        """Every name, descriptor and mapping takes time, however little it holds."""
        self.steps += 1
        if self.steps % STEPS_BETWEEN_LOOKS_AT_THE_CLOCK == 0 and time.thread_time() > self.until:
            raise Exhausted

    def has_enough(self):
        return self.bytes > self.enough

    def count(self, info):
        self.bytes += info.st_blocks * 512 + INODE_BYTES

    def count_once(self, info):
        """By however many names, descriptors and mappings it is known."""
        key = (info.st_dev, info.st_ino)
        if key not in self.seen:
            self.seen.add(key)
            self.count(info)


def entries(sandbox, folder):
    """Counts what is in an open folder; the names of the folders in it."""
    below = []
    with os.scandir(folder) as found:
        for entry in found:
            sandbox.step()
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it has gone
            if stat.S_ISDIR(info.st_mode):
                sandbox.count(info)
                below.append(entry.name)
            elif info.st_nlink == 1:
                sandbox.count(info)
            else:
                sandbox.count_once(info)
            if sandbox.has_enough():
                return []
    return below


def measure_folder(sandbox, path):
    """Goes down by open folders, never by path: a path may be longer than the kernel takes."""
    try:
        top = os.open(path, FOLDER)
    except OSError:
        return
    levels = [(top, [])]
    try:
        levels[0] = (top, entries(sandbox, top))
        descend(sandbox, levels)
    finally:
        for folder, _ in levels:
            os.close(folder)


def descend(sandbox, levels):
    while levels:
        folder, below = levels[-1]
        if not below or sandbox.has_enough():
            os.close(folder)
            levels.pop()
            continue
        name = below.pop()
        if len(levels) > MAX_DEPTH:
            sandbox.hides = True
            continue
        try:
            child = os.open(name, FOLDER, dir_fd=folder)
        except OSError:
            continue
        levels.append((child, []))
        levels[-1] = (child, entries(sandbox, child))


def measure_sandbox(sandbox, processes, disk):
    for folder in sandbox.folders:
        sandbox.spend(measure_folder, folder)
    first = list(processes.of(sandbox))  # on nobody's time: it is the processes of all that are listed
    sandbox.spend(count_held, processes, first, disk)
    sandbox.seen.clear()


def look_for_flights(sandboxes, processes):
    """What is sent is received at once, usually. Somewhere in the sandbox again, not on the same socket: it may have moved on."""
    senders = [sandbox for sandbox in sandboxes if sandbox.sends]
    if senders:
        time.sleep(FLIGHT_SECONDS)
    for sandbox in senders:
        sandbox.hides = sandbox.hides or sandbox.spend(sends, processes) is not False


def measure(order):
    names = {container["sandbox"] for container in order["containers"]}
    seconds = min(MAX_SECONDS, ALL_SECONDS / max(1, len(names)))
    sandboxes = {name: Sandbox(seconds, order["enough"]) for name in names}
    for container in order["containers"]:
        sandboxes[container["sandbox"]].folders += container["folders"]
    processes = Processes({container["id"].encode(): sandboxes[container["sandbox"]] for container in order["containers"]})
    disk = Disk(order["folder"])
    for sandbox in sandboxes.values():
        measure_sandbox(sandbox, processes, disk)
    look_for_flights(sandboxes.values(), processes)
    room = os.statvfs(order["folder"])
    return {
        "free": {"bytes": room.f_bavail * room.f_frsize, "files": room.f_favail, "total_bytes": room.f_blocks * room.f_frsize},
        "sandboxes": {name: {"bytes": sandbox.bytes, "hides": sandbox.hides} for name, sandbox in sandboxes.items()},
    }


def main():
    while select.select([sys.stdin], [], [], MAX_IDLE_SECONDS)[0]:
        line = sys.stdin.readline()
        if line == "":
            return
        question = json.loads(line)
        try:
            answer = measure(question)
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps({**answer, "id": question["id"]}), flush=True)


main()
