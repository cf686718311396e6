"""Processes of a service, each held by an open descriptor of its folder below /proc, so that a reused pid is never mistaken for it.
A process that cannot be read, or that keeps changing, fails the inspection; only one that has ended is left out."""

import os
import re
import time

from hostile import ABSENT, ATTEMPTS, FOLDER, PAUSE_SECONDS, Gone, Unobservable, read_table, text
from tables import Status

SOCKET_LINK = re.compile(rb"socket:\[(\d+)\]")
MAX_DESCRIPTORS = 262_144
AHEAD, QUIET = 64, 10


class Unstable(Exception):
    """The process changed while it was read: another attempt may succeed."""


class Process:
    """top: its folder below /proc; folder: the same, or that of another thread where the main thread has ended."""

    def __init__(self, proc, pid, namespace):
        self.pid = pid
        try:
            self.top = self.folder = os.open(str(pid), FOLDER, dir_fd=proc)
        except OSError as error:
            if error.errno in ABSENT:
                raise Gone from None
            raise
        try:
            self.status = self.read_status()
            if os.readlink("ns/pid", dir_fd=self.top) != namespace:
                raise Gone  # its pid was reused
            if self.status.is_dead():
                self.take_living_thread()
        except BaseException:
            self.close()
            raise

    def close(self):
        for folder in {self.top, self.folder}:
            os.close(folder)

    def read_status(self):
        try:
            return Status(self.read("status"))
        except OSError as error:
            if error.errno in ABSENT:
                raise Gone from None
            raise

    def take_living_thread(self):
        """A process has ended when its dead main thread is the only one left. The kernel shows 0 threads for a main thread that was
        just replaced by another one (execve in a thread), so that is no sign of its end."""
        if self.status.numbers(b"Threads")[0] == 1:
            raise Gone
        for thread in self.threads():
            status = Status(read_table("status", folder=thread))
            if not status.is_dead():
                self.folder, self.status = os.dup(thread), status
                return
        raise Unstable("its threads end before they can be read")

    def threads(self):
        """The open folders of its other threads; each is closed before the next is opened. Where one has ended meanwhile, a thread
        that it started may be missing in the list, so the process is read again."""
        tasks = os.open("task", FOLDER, dir_fd=self.top)
        try:
            for name in os.listdir(tasks):
                if name == str(self.pid):
                    continue
                try:
                    thread = os.open(name, FOLDER, dir_fd=tasks)
                except OSError as error:
                    if error.errno in ABSENT:
                        raise Unstable("its threads keep changing") from None
                    raise
                try:
                    yield thread
                finally:
                    os.close(thread)
        finally:
            os.close(tasks)

    def of_threads(self, work):
        """The results of `work` for each of its other threads."""
        return [work(thread) for thread in self.threads()] if self.status.numbers(b"Threads")[0] > 1 else []

    def read(self, name):
        return read_table(name, folder=self.folder)

    def executable(self):
        """Its path, and which file it is."""
        info = os.stat("exe", dir_fd=self.folder)
        return os.readlink(b"exe", dir_fd=self.folder), (info.st_dev, info.st_ino)

    def sockets(self):
        """The inodes of the sockets that any of its threads has open."""
        return self.sockets_below(self.folder).union(*self.of_threads(self.sockets_below))  # a thread may have descriptors of its own

    def sockets_below(self, folder):
        descriptors = os.open("fd", FOLDER, dir_fd=folder)
        found = set()
        try:
            names = os.listdir(descriptors)
            if len(names) > MAX_DESCRIPTORS:
                raise Unobservable("a process has too many open files")
            for name in names:
                try:
                    match = SOCKET_LINK.fullmatch(os.readlink(name.encode(), dir_fd=descriptors))
                except FileNotFoundError:
                    continue  # closed meanwhile
                if match:
                    found.add(int(match[1]))
        finally:
            os.close(descriptors)
        return found

    def identity(self, users):
        """The user it runs as: the lowest of the real, effective and saved uids of its threads, and whether a thread has
        capabilities."""
        statuses = [self.status, *self.of_threads(lambda thread: Status(read_table("status", folder=thread)))]
        uid = min(users.user(uid) for status in statuses for uid in status.numbers(b"Uid"))
        privileged = uid == 0 or any(int(status.field(b"CapPrm"), 16) != 0 for status in statuses)
        return {"parent": self.status.numbers(b"PPid")[0], "uid": uid, "privileged": privileged}


def observe(proc, pid, namespace, work):
    """The result of `work` for a process that runs the same program before and after; None when it has ended."""
    for _ in range(ATTEMPTS):
        try:
            process = Process(proc, pid, namespace)
        except Gone:
            return None
        except (OSError, Unstable) as error:
            last = error
        else:
            try:
                before = process.executable()
                seen = work(process, text(before[0]))
                if process.executable() == before:
                    return seen
                last = Unstable("it keeps executing other programs")
            except Gone:
                return None
            except (OSError, Unstable) as error:
                last = error  # it has probably ended: the next attempt shows
            finally:
                process.close()
        time.sleep(PAUSE_SECONDS)
    raise Unobservable(f"a process cannot be inspected: {last}")


class Processes:
    """The processes in the pid namespace of a service."""

    def __init__(self, proc, service):
        self.proc = proc
        self.namespace = os.readlink("ns/pid", dir_fd=service)

    def belongs(self, name):
        """Returns None when it ended too soon. Processes that may not be read from here belong to the engine."""
        try:
            return os.readlink(f"{name}/ns/pid", dir_fd=self.proc) == self.namespace
        except OSError as error:
            return None if error.errno in ABSENT else False

    def sort(self, names):
        """Those that belong to the service, and whether any ended too soon to tell. A program that keeps forking and ending gets
        the next pids, so these are checked at once."""
        own, lost = set(), False
        for name in names:
            belongs = self.belongs(name)
            if belongs is None:
                lost = True
                own.update(later for later in map(str, range(int(name) + 1, int(name) + AHEAD)) if self.belongs(later))
            elif belongs:
                own.add(name)
        return own, lost

    def each(self, work):
        """The results of `work` for each of them, including those started meanwhile, until no new one is found. Where some ended
        too soon to tell whose they were, several rounds in a row must find none of the service: then they belonged to others."""
        known, found, quiet = set(), [], 0
        for _ in range(ATTEMPTS):
            listed = [name for name in os.listdir(self.proc) if name.isdigit()]
            own, lost = self.sort([name for name in listed if name not in known])
            known = own.union(listed)  # a pid that is no longer listed may be reused
            seen = (observe(self.proc, int(name), self.namespace, work) for name in sorted(own, key=int))
            found += [each for each in seen if each is not None]
            quiet = 0 if own else quiet + 1
            if quiet >= (QUIET if lost else 1):
                return found
        raise Unobservable("processes are started faster than they can be inspected")
