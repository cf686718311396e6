"""Measures what sandboxes keep on the engine's disk: blocks, not lengths. Runs beside the engine, in its process namespace, with
its folder mounted read-only. One JSON object a line on standard input:

{"folder", "enough", "containers": [{"id", "sandbox", "folders"}]} -> {"free": {"bytes", "files", "total_bytes"},
                                                                       "sandboxes": {sandbox: {"bytes", "hides"}}}

Every file counts for 16 KiB more than it holds, so that a flood of empty files counts too: a disk has room for about one file
in so many bytes. Deleted files that a process has open or mapped count. A sandbox is measured until it has `enough`. It `hides`
when it keeps something that cannot be measured: folders nested beyond reason, more open files than anybody can look at,
descriptors that were sent and never received, whatever cannot be read or takes too long. That is its own doing and its own
loss: the others are measured all the same. {"failed"} where nobody can be measured.
"""

import errno
import json
import os
import re
import select
import stat
import sys
import time

from hostile import ABSENT, FOLDER, read_table
from tables import parse_maps

INODE_BYTES = 16_384
MAX_DEPTH = 512
MAX_LOOKS = 262_144
MAX_NAMES = 1_000_000
MAX_IDLE_SECONDS = 300
MAX_SECONDS = 2
FLIGHT_SECONDS = 0.2
CONTAINER = re.compile(rb"[0-9a-f]{64}")
IN_FLIGHT = re.compile(rb"^scm_fds:\s*(\d+)", re.MULTILINE)
DELETED = b" (deleted)"


class Sandbox:
    def __init__(self):
        self.bytes = 0
        self.looks = 0
        self.names = 0
        self.hides = False
        self.seen = set()
        self.mapped = {}
        self.devices = set()
        self.in_flight = []
        self.seconds = 0.0

    def spend(self, work, *arguments):
        """Whatever goes wrong goes wrong for this sandbox, and takes its time from no other."""
        if self.seconds > MAX_SECONDS:
            self.hides = True
            return
        started = time.thread_time()
        try:
            work(self, *arguments)
        except OSError as error:
            if error.errno not in ABSENT:
                self.hides = True
        except Exception:
            self.hides = True
        finally:
            self.seconds += time.thread_time() - started

    def count(self, info):
        """A file is counted once, by however many names and descriptors it is known."""
        key = (info.st_dev, info.st_ino)
        if info.st_nlink != 1 and not stat.S_ISDIR(info.st_mode):
            if key in self.seen:
                return
            self.seen.add(key)
        self.bytes += info.st_blocks * 512 + INODE_BYTES

    def enter(self):
        """Every name takes time, however little it holds."""
        self.names += 1
        if self.names > MAX_NAMES:
            raise OSError(errno.EFBIG, "there are more names than can be looked at")

    def look(self):
        self.looks += 1
        if self.looks > MAX_LOOKS:
            self.hides = True
        return self.looks <= MAX_LOOKS


def entries(sandbox, folder, enough):
    """Counts what is in an open folder; the names of the folders in it."""
    below = []
    with os.scandir(folder) as found:
        for entry in found:
            sandbox.enter()
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it has gone
            sandbox.count(info)
            if stat.S_ISDIR(info.st_mode):
                below.append(entry.name)
            if sandbox.bytes > enough:
                return []
    return below


def measure_folder(sandbox, path, enough):
    """Goes down by open folders, never by path: a path may be longer than the kernel takes."""
    try:
        top = os.open(path, FOLDER)
    except OSError:
        return
    sandbox.devices.add(os.fstat(top).st_dev)
    levels = [(top, [])]
    try:
        levels[0] = (top, entries(sandbox, top, enough))
        descend(sandbox, levels, enough)
    finally:
        for folder, _ in levels:
            os.close(folder)


def descend(sandbox, levels, enough):
    while levels:
        folder, below = levels[-1]
        if not below or sandbox.bytes > enough:
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
        levels[-1] = (child, entries(sandbox, child, enough))


def count_open(sandbox, task):
    with os.scandir(f"{task}/fd") as found:
        for entry in found:
            if not sandbox.look():
                return
            try:
                info = os.stat(entry.path)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and info.st_nlink == 0 and info.st_dev in sandbox.devices:
                sandbox.count(info)
            elif stat.S_ISSOCK(info.st_mode) and in_flight(f"{task}/fdinfo/{entry.name}"):
                sandbox.in_flight.append(f"{task}/fdinfo/{entry.name}")


def count_mapped(sandbox, process):
    """Mapped and deleted, perhaps without a descriptor: as much as is mapped."""
    for first, last, offset, key, path in parse_maps(read_table(f"{process}/maps")):
        if not sandbox.look():
            return
        if path.endswith(DELETED) and key[0] in sandbox.devices and key not in sandbox.seen:
            parts = sandbox.mapped.setdefault(key, {})
            parts[offset] = max(parts.get(offset, 0), last - first)


def in_flight(fdinfo):
    try:
        found = IN_FLIGHT.search(read_table(fdinfo))
        return found is not None and int(found[1]) > 0
    except OSError:
        return False


def note_device(sandbox, process):
    sandbox.devices.add(os.stat(f"{process}/root").st_dev)


def threads(process):
    try:
        return os.listdir(f"{process}/task")
    except OSError:
        return []  # it has ended


def measure_processes(sandboxes):
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            groups = read_table(f"/proc/{name}/cgroup")
        except OSError:
            continue  # it has ended
        owner = next((sandboxes[id] for id in map(bytes.decode, CONTAINER.findall(groups)) if id in sandboxes), None)
        if owner is not None:
            owner.spend(note_device, f"/proc/{name}")
            for thread in threads(f"/proc/{name}"):  # a thread may have descriptors of its own
                owner.spend(count_open, f"/proc/{name}/task/{thread}")
            owner.spend(count_mapped, f"/proc/{name}")


def measure(order):
    sandboxes = {container["sandbox"]: Sandbox() for container in order["containers"]}
    owners = {container["id"]: sandboxes[container["sandbox"]] for container in order["containers"]}
    for container in order["containers"]:
        for folder in container["folders"]:
            owners[container["id"]].spend(measure_folder, folder, order["enough"])
    measure_processes(owners)
    flights = [(sandbox, fdinfo) for sandbox in sandboxes.values() for fdinfo in sandbox.in_flight]
    if flights:
        time.sleep(FLIGHT_SECONDS)
    for sandbox, fdinfo in flights:
        sandbox.hides = sandbox.hides or in_flight(fdinfo)
    for sandbox in sandboxes.values():
        sandbox.bytes += sum(sum(parts.values()) for key, parts in sandbox.mapped.items() if key not in sandbox.seen)
    disk = os.statvfs(order["folder"])
    return {
        "free": {"bytes": disk.f_bavail * disk.f_frsize, "files": disk.f_favail, "total_bytes": disk.f_blocks * disk.f_frsize},
        "sandboxes": {name: {"bytes": sandbox.bytes, "hides": sandbox.hides} for name, sandbox in sandboxes.items()},
    }


def main():
    while select.select([sys.stdin], [], [], MAX_IDLE_SECONDS)[0]:
        line = sys.stdin.readline()
        if line == "":
            return
        try:
            answer = measure(json.loads(line))
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
