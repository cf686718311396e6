"""Deleted files that processes of a sandbox hold: open, mapped, as the program that runs, as the folder that they are in. Each
counts with the blocks of its inode, whatever part of it is held: the kernel leads to it from every one of these places.

Threads are looked at, not processes: each may have descriptors of its own, and the first may have ended before the others.
/proc/N is there for every thread, though only processes are listed.

Whoever hands a file on all the time may be missed by one measurement, not again and again. What only a system call under way
holds, its descriptor closed by another thread meanwhile, is not seen."""

import os
import re
import stat
from itertools import chain

from hostile import ABSENT, Unobservable, read_table
from tables import DELETED, parse_maps

MAX_ROUNDS, QUIET_ROUNDS = 16, 2
MAX_ATTEMPTS = 4
CONTAINER = re.compile(rb"[0-9a-f]{64}")
IN_FLIGHT = re.compile(rb"^scm_fds:\s*(\d+)", re.MULTILINE)


class Disk:
    """Tells files on the engine's disk from those in memory, which is another's to bound. A container's files are on the disk
    behind them by the size that their file system claims; its device is another for each container."""

    def __init__(self, folder):
        self.size = self.size_of(folder)
        self.known = {}

    def size_of(self, path):
        found = os.statvfs(path)
        return found.f_blocks * found.f_frsize, found.f_files

    def holds(self, path, info):
        if info.st_dev not in self.known:
            self.known[info.st_dev] = self.size_of(path) == self.size
        return self.known[info.st_dev]


class Processes:
    """Which sandbox a process belongs to, by the containers of all sandboxes. A process is identified by its pid and the inode of
    its folder below /proc, because pids are reused."""

    def __init__(self, owners):
        self.owners = owners
        self.known = {}

    def of(self, sandbox):
        """The pids that a sandbox has now, one by one, so that each can be looked at before it ends."""
        found = {}
        with os.scandir("/proc") as entries:
            for entry in entries:
                if entry.name.isdigit():
                    key = (entry.name, entry.inode())
                    found[key] = self.known[key] if key in self.known else self.owner(entry.name)
                    if found[key] is sandbox:
                        yield entry.name
        self.known = found

    def owner(self, process):
        """The last thread has not ended yet where the first has, and the kernel no longer tells where that one was."""
        for folder in chain([process], (f"{process}/task/{thread}" for thread, _ in threads(process)[-1:])):
            try:
                groups = read_table(f"/proc/{folder}/cgroup")
            except OSError:
                return None  # it has ended
            for container in CONTAINER.findall(groups):
                if container in self.owners:
                    return self.owners[container]
        return None


def threads(process):
    try:
        with os.scandir(f"/proc/{process}/task") as entries:
            return [(entry.name, entry.inode()) for entry in entries]
    except OSError:
        return []  # it has ended


def children(process, thread):
    """Theirs by birth, also those that end before their control group can be read."""
    try:
        return read_table(f"/proc/{process}/task/{thread}/children").decode().split()
    except OSError:
        return []  # it has ended


def info_of(path):
    """None where it has gone."""
    try:
        return os.stat(path)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise


def is_deleted(path, info):
    """A folder that is in the image too has a link by its count, always."""
    return info.st_nlink == 0 or (stat.S_ISDIR(info.st_mode) and os.readlink(os.fsencode(path)).endswith(DELETED))


def count_deleted(sandbox, path, info, disk):
    if is_deleted(path, info) and disk.holds(path, info):
        sandbox.count_once(info)


def descriptors(sandbox, thread):
    try:
        with os.scandir(f"/proc/{thread}/fd") as found:
            for entry in found:
                sandbox.step()
                info = info_of(entry.path)
                if info is not None:
                    yield entry.name, entry.path, info
    except OSError as error:
        if error.errno not in ABSENT:
            raise


def is_sending(thread, descriptor, info):
    """Whether descriptors wait in a socket for somebody to receive them."""
    if not stat.S_ISSOCK(info.st_mode):
        return False
    try:
        found = IN_FLIGHT.search(read_table(f"/proc/{thread}/fdinfo/{descriptor}"))
    except OSError:
        return False  # it has been closed
    return found is not None and int(found[1]) > 0


def count_open(sandbox, thread, disk):
    for descriptor, path, info in descriptors(sandbox, thread):
        if sandbox.has_enough():
            return
        sandbox.sends = sandbox.sends or is_sending(thread, descriptor, info)
        sandbox.attempt(count_deleted, path, info, disk)


def count_link(sandbox, path, disk):
    info = info_of(path)
    if info is not None:
        count_deleted(sandbox, path, info, disk)


def count_mapped(sandbox, thread, disk):
    """Whether there was any memory: a thread that has ended has none."""
    for _ in range(MAX_ATTEMPTS):
        table = read_table(f"/proc/{thread}/maps")
        if table == b"":
            return False
        if count_mappings(sandbox, thread, table, disk):
            return True
    raise Unobservable("mappings change faster than they can be looked at")


def count_mappings(sandbox, thread, table, disk):
    """Whether every deleted file in the table could be looked at by one of its mappings."""
    counted, missed = set(), set()
    for first, last, which, _ in parse_maps(table, deleted=True):
        sandbox.step()
        if sandbox.has_enough():
            return True
        if which in counted:
            continue
        path = f"/proc/{thread}/map_files/{first:x}-{last:x}"
        info = info_of(path)
        if info is None:
            missed.add(which)
        else:
            counted.add(which)
            sandbox.attempt(count_deleted, path, info, disk)
    return missed <= counted


def look_at(sandbox, process, thread, remembered, disk):
    sandbox.attempt(count_open, thread, disk)
    for link in ("exe", "cwd", "root"):
        sandbox.attempt(count_link, f"/proc/{thread}/{link}", disk)
    if process not in remembered and sandbox.attempt(count_mapped, thread, disk):
        remembered.add(process)  # all its threads share it


def count_held(sandbox, processes, first, disk):
    """Until nobody new turns up, twice: the kernel's lists may skip one who comes while another ends. Whoever has new processes or
    threads all the time cannot be looked at: the file may be with the next one each time."""
    met, remembered, quiet = set(), set(), 0
    for turn in range(MAX_ROUNDS):
        before, born = len(met), []
        for process in chain(processes.of(sandbox) if turn > 0 else first, born):
            for key in threads(process):
                sandbox.step()
                if key not in met:
                    met.add(key)
                    look_at(sandbox, process, key[0], remembered, disk)
                for child in children(process, key[0]):
                    if child not in met:
                        met.add(child)
                        born.append(child)
        quiet = quiet + 1 if len(met) == before else 0
        if quiet == QUIET_ROUNDS or sandbox.has_enough():
            return
    sandbox.hides = True


def sends(sandbox, processes):
    return any(
        is_sending(thread, descriptor, info)
        for process in processes.of(sandbox)
        for thread, _ in threads(process)
        for descriptor, _, info in descriptors(sandbox, thread)
    )
