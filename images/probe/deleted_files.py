"""Counts deleted files that processes of a sandbox still hold: open, mapped, as the running program, or as the working or root
directory. Each counts with all blocks of its inode.

Threads are examined, not processes: each may have descriptors of its own, and the main thread may have ended before the others.
/proc/TID exists for every thread, though only processes are listed.

A file that is passed on from process to process may be missed by one measurement, but not by many in a row. A file that is held
only by a system call in progress, its descriptor closed by another thread, is not seen."""

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
    """Tells files on the engine's disk from files in memory, which the memory limit bounds. Each container's overlay has a device
    number of its own, so the disk is recognized by the size of its file system."""

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
        """Where the main thread has ended, the kernel no longer shows its control group; then the last thread is asked."""
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
    """Child processes belong to the same sandbox, even if they end before their control group can be read."""
    try:
        return read_table(f"/proc/{process}/task/{thread}/children").decode().split()
    except OSError:
        return []  # it has ended


def info_of(path):
    """Returns None where it no longer exists."""
    try:
        return os.stat(path)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise


def is_deleted(path, info):
    """On an overlay, the link count of a deleted folder that is also in the image is never 0."""
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
    """Whether descriptors are in flight in a Unix socket: sent, and not received yet."""
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
    """Returns whether there were mappings: a thread that has ended has none."""
    for _ in range(MAX_ATTEMPTS):
        table = read_table(f"/proc/{thread}/maps")
        if table == b"":
            return False
        if count_mappings(sandbox, thread, table, disk):
            return True
    raise Unobservable("mappings change faster than they can be read")


def count_mappings(sandbox, thread, table, disk):
    """Returns whether every deleted file in the table could be read through one of its mappings."""
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
    """Repeats until two rounds find no new thread: the kernel's lists may skip one that starts while another ends. A sandbox that
    keeps starting processes or threads cannot be measured: the file may be held by the next one each time."""
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
