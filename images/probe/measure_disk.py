"""Measures the disk use of sandboxes on the engine, in blocks. Runs in a container in the engine's pid namespace, with
the engine's data folder mounted read-only. One JSON object a line on standard input:

{"id", "folder", "enough", "containers": [{"id", "sandbox", "folders"}]} -> {"id", "free": {"bytes", "files", "total_bytes"},
                                                                             "sandboxes": {sandbox: {"bytes", "hides"}}}

Every file counts for 16 KiB more than its blocks, so that a flood of empty files counts too: a disk usually has one inode for
that many bytes. Deleted files that a process holds count fully (see deleted_files.py). Measuring a sandbox stops at `enough`
bytes. `hides` is true when a part of it cannot be measured: folders that are nested too deeply, more names, open files and
mappings than there is time for, processes that keep changing, descriptors that are sent and never received, errors. That affects
this sandbox only; the others are measured all the same. {"failed"} where none can be measured.

Sandboxes are measured one after the other, each with its own share of the time: first the files of all, then what their processes
hold. As soon as one has more than `enough`, that is the answer, because it goes on writing; the others are measured only in part
then. That is told once: while it is being removed, it keeps nobody else from being measured. What is remembered of one sandbox is
dropped before the next, and each thing remembered has counted for 16 KiB, so the memory needed is that of the largest sandbox.
"""

import json
import os
import select
import stat
import sys
import threading
import time

from deleted_files import Disk, Processes, count_held, sends
from hostile import ABSENT, FOLDER

INODE_BYTES = 16_384
MAX_DEPTH = 512
MAX_IDLE_SECONDS = 300
MAX_SECONDS, ALL_SECONDS = 2, 12
MAX_WAIT_SECONDS, ALL_WAIT_SECONDS = 2, 12
STEPS_BETWEEN_CLOCK_READS = 64
FLIGHT_SECONDS = 0.2


class Exhausted(Exception):
    """There is more to measure than there is time for."""


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
        self.abandoned = False
        self.seen = set()

    def spend(self, work, *arguments):
        """Runs `work` on this sandbox's own time budget."""
        started = time.thread_time()
        self.until = started + self.seconds
        try:
            return self.attempt(work, *arguments)
        except Exhausted:
            self.hides = True
        finally:
            self.seconds -= time.thread_time() - started

    def attempt(self, work, *arguments):
        """An error marks this sandbox and does not stop the measurement of anything else."""
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
        if self.abandoned:
            raise Exhausted
        if self.steps % STEPS_BETWEEN_CLOCK_READS == 0 and time.thread_time() > self.until:
            raise Exhausted

    def has_enough(self):
        return self.bytes > self.enough

    def count(self, info):
        self.bytes += info.st_blocks * 512 + INODE_BYTES

    def count_once(self, info):
        """Counts an inode once, however many names, descriptors and mappings it has."""
        key = (info.st_dev, info.st_ino)
        if key not in self.seen:
            self.seen.add(key)
            self.count(info)


def entries(sandbox, folder):
    """Counts the entries of an open folder; returns the names of the folders in it."""
    below = []
    with os.scandir(folder) as found:
        for entry in found:
            sandbox.step()
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it was deleted meanwhile
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
    """Descends by directory descriptors, never by path: a path may be longer than the kernel allows."""
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


def measure_files(sandbox):
    for folder in sandbox.folders:
        sandbox.spend(measure_folder, folder)
    sandbox.seen.clear()  # what has been deleted has no name that was counted here


def measure_held(sandbox, processes, disk):
    first = list(processes.of(sandbox))  # not on the sandbox's time: this lists the processes of all
    sandbox.spend(count_held, processes, first, disk)
    sandbox.seen.clear()


class Memory:
    """What lasts from one measurement to the next: which sandboxes were told to exceed, and the threads in which their processes
    are read. A process that forks holds a lock which whoever reads its mappings waits for, uninterruptibly, and in a sandbox with
    little processor time that takes minutes. A sandbox whose thread takes too long hides; it is not read again before that thread
    has ended."""

    def __init__(self):
        self.threads = {}
        self.told = set()

    def run(self, name, sandbox, seconds, *arguments):
        before = self.threads.get(name)
        if before is not None and before.is_alive():
            sandbox.hides = True
            return
        thread = threading.Thread(target=measure_held, args=(sandbox, *arguments), daemon=True)
        self.threads[name] = thread
        try:
            thread.start()
        except RuntimeError:  # too many wait already
            sandbox.hides = True
            return
        thread.join(seconds)
        if thread.is_alive():
            sandbox.abandoned = sandbox.hides = True

    def forget(self, names):
        """Keeps the threads of these sandboxes only."""
        self.threads = {name: thread for name, thread in self.threads.items() if name in names}


def find_descriptors_in_flight(sandboxes, processes):
    """Descriptors that are sent are usually received at once. A sandbox that still has some in flight after a pause, on whichever
    socket, is hiding files."""
    senders = [sandbox for sandbox in sandboxes if sandbox.sends]
    if senders:
        time.sleep(FLIGHT_SECONDS)
    for sandbox in senders:
        sandbox.hides = sandbox.hides or sandbox.spend(sends, processes) is not False


def exceeding(sandboxes):
    return {name for name, sandbox in sandboxes.items() if sandbox.has_enough()}


def measure(order, memory):
    names = {container["sandbox"] for container in order["containers"]}
    seconds = min(MAX_SECONDS, ALL_SECONDS / max(1, len(names)))
    wait_seconds = min(MAX_WAIT_SECONDS, ALL_WAIT_SECONDS / max(1, len(names)))
    sandboxes = {name: Sandbox(seconds, order["enough"]) for name in names}
    memory.forget(names)
    for container in order["containers"]:
        sandboxes[container["sandbox"]].folders += container["folders"]
    for sandbox in sandboxes.values():
        measure_files(sandbox)
    processes = Processes({container["id"].encode(): sandboxes[container["sandbox"]] for container in order["containers"]})
    disk = Disk(order["folder"])
    for name, sandbox in sandboxes.items():
        if exceeding(sandboxes) - memory.told:
            break
        memory.run(name, sandbox, wait_seconds, processes, disk)
    memory.told = exceeding(sandboxes)
    find_descriptors_in_flight(sandboxes.values(), processes)
    room = os.statvfs(order["folder"])
    return {
        "free": {"bytes": room.f_bavail * room.f_frsize, "files": room.f_favail, "total_bytes": room.f_blocks * room.f_frsize},
        "sandboxes": {name: {"bytes": sandbox.bytes, "hides": sandbox.hides} for name, sandbox in sandboxes.items()},
    }


def main():
    memory = Memory()
    while select.select([sys.stdin], [], [], MAX_IDLE_SECONDS)[0]:
        line = sys.stdin.readline()
        if line == "":
            return
        question = json.loads(line)
        try:
            answer = measure(question, memory)
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps({**answer, "id": question["id"]}), flush=True)


main()
