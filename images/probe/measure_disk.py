"""Measures what sandboxes keep on the engine's disk: blocks, not lengths. Runs beside the engine, in its process namespace, with
its folder mounted read-only. One JSON object a line on standard input:

{"folder", "enough", "containers": [{"id", "sandbox", "folders"}]} -> {"free": {"bytes", "files", "total_bytes"},
                                                                       "sandboxes": {sandbox: {"bytes", "hides"}}}

Every file counts for 16 KiB more than it holds, so that a flood of empty files counts too: a disk has room for about one file
in so many bytes. Deleted files that a process has open or mapped count. A sandbox is measured until it has `enough`. It `hides`
when it keeps something that cannot be measured: folders nested beyond reason, more open files than anybody can look at,
descriptors that were sent and never received.
"""

import json
import os
import re
import select
import stat
import sys
import time

INODE_BYTES = 16_384
MAX_DEPTH = 512
MAX_LOOKS = 262_144
MAX_IDLE_SECONDS = 300
FLIGHT_SECONDS = 0.2
CONTAINER = re.compile(r"[0-9a-f]{64}")
IN_FLIGHT = re.compile(r"^scm_fds:\s*(\d+)", re.MULTILINE)
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Sandbox:
    def __init__(self):
        self.bytes = 0
        self.looks = 0
        self.hides = False
        self.seen = set()
        self.mapped = {}
        self.devices = set()
        self.in_flight = []

    def count(self, info):
        """A file is counted once, by however many names and descriptors it is known."""
        key = (info.st_dev, info.st_ino)
        if info.st_nlink != 1 and not stat.S_ISDIR(info.st_mode):
            if key in self.seen:
                return
            self.seen.add(key)
        self.bytes += info.st_blocks * 512 + INODE_BYTES

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
    levels = [(top, entries(sandbox, top, enough))]
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
        levels.append((child, entries(sandbox, child, enough)))


def count_open(sandbox, task):
    for entry in os.scandir(f"{task}/fd"):
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
    with open(f"{process}/maps", errors="replace") as maps:
        for line in maps:
            if not sandbox.look():
                return
            if not line.endswith(" (deleted)\n"):
                continue
            addresses, _, offset, device, inode = line.split(None, 5)[:5]
            key = (os.makedev(*(int(part, 16) for part in device.split(":"))), int(inode))
            first, last = (int(part, 16) for part in addresses.split("-"))
            if key[0] in sandbox.devices and key not in sandbox.seen:
                parts = sandbox.mapped.setdefault(key, {})
                parts[offset] = max(parts.get(offset, 0), last - first)


def in_flight(fdinfo):
    try:
        with open(fdinfo) as file:
            found = IN_FLIGHT.search(file.read(4096))
        return found is not None and int(found[1]) > 0
    except OSError:
        return False


def measure_processes(sandboxes):
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        process = f"/proc/{name}"
        try:
            with open(f"{process}/cgroup") as file:
                owner = next((sandboxes[id] for id in CONTAINER.findall(file.read(65_536)) if id in sandboxes), None)
            if owner is None:
                continue
            owner.devices.add(os.stat(f"{process}/root").st_dev)
            # A thread may have descriptors of its own.
            for task in os.listdir(f"{process}/task"):
                count_open(owner, f"{process}/task/{task}")
            count_mapped(owner, process)
        except OSError:
            continue  # it has ended


def measure(order):
    sandboxes = {container["sandbox"]: Sandbox() for container in order["containers"]}
    owners = {container["id"]: sandboxes[container["sandbox"]] for container in order["containers"]}
    for container in order["containers"]:
        for folder in container["folders"]:
            measure_folder(owners[container["id"]], folder, order["enough"])
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
        print(json.dumps(measure(json.loads(line))), flush=True)


main()
