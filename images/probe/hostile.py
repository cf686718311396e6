"""The one way in which programs of ours read what a sandbox wrote: as bytes, bounded, and strictly. Names, links and tables of
the kernel carry whatever a sandbox put there (see tables.py); nothing here waits for a sandbox.

What cannot be read to its end is Unobservable: the look fails, for this sandbox and nobody else. What has ended is Gone.
"""

import errno
import hashlib
import os
import stat
import time

MAX_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 5000
MAX_FILE = 64 * 1024 * 1024
MAX_TEXT = 1024 * 1024
MAX_TABLE = 16 * 1024 * 1024
CHUNK = 256 * 1024
TABLE_CHUNK = 32 * 1024
ATTEMPTS, PAUSE_SECONDS = 40, 0.025
SAFE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
FOLDER = SAFE | os.O_DIRECTORY | os.O_NOFOLLOW
ABSENT = (errno.ENOENT, errno.ESRCH, errno.ENOTDIR)


class Unobservable(Exception):
    """Something in the sandbox cannot be looked at."""


class Gone(Exception):
    """The process has ended."""


class Leased(Exception):
    """Somebody holds a file so that whoever opens it has to wait."""


class Budget:
    """What one look may cost in bytes read and entries seen."""

    def __init__(self, most_bytes=MAX_BYTES, entries=MAX_ENTRIES):
        self.bytes = most_bytes
        self.entries = entries

    def read(self, count):
        self.bytes -= count
        if self.bytes < 0:
            raise Unobservable("there is more to read than can be read")

    def entry(self):
        self.entries -= 1
        if self.entries < 0:
            raise Unobservable("there are more files than can be looked at")


def text(name):
    """For people and JSON: what is no UTF-8 is written out."""
    return name.decode("utf-8", "backslashreplace")


def patiently(work, passing):
    """What stands in the way may pass. Whoever keeps it there all the time cannot be looked at."""
    for _ in range(ATTEMPTS):
        try:
            return work()
        except passing as error:
            last = error
        time.sleep(PAUSE_SECONDS)
    raise Unobservable(str(last) or type(last).__name__)


def open_file(path, flags=0, folder=None):
    """Never waits: neither for the other end of a pipe nor for whoever holds a lease."""
    try:
        return os.open(path, SAFE | flags, dir_fd=folder)
    except BlockingIOError:
        raise Leased(f"{text(os.fsencode(path))} is held by a lease") from None


def open_regular(path, flags=0):
    """The descriptor of a regular file, and what it is like. ValueError where there is another kind of thing."""
    file = patiently(lambda: open_file(path, flags), Leased)
    info = os.fstat(file)
    if not stat.S_ISREG(info.st_mode):
        os.close(file)
        raise ValueError("not a file")
    return file, info


def read_all(file, most):
    """At most so many bytes from an open file: one more tells that there are more."""
    parts, left = [], most + 1
    while left > 0:
        part = os.read(file, min(left, TABLE_CHUNK))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def read_table(path, folder=None, most=MAX_TABLE):
    """A file of the kernel, whole."""
    file = open_file(path, folder=folder)
    try:
        table = read_all(file, most)
    finally:
        os.close(file)
    if len(table) > most:
        raise Unobservable("a table of the kernel is longer than can be read")
    return table


class Hashes:
    """SHA-256 of open files. Each is read once in a look and anew in the next one: no time of a file tells that it is unchanged,
    because whoever has it mapped can store into it without changing them."""

    def __init__(self):
        self.known = {}
        self.buffer = memoryview(bytearray(CHUNK))

    def digest(self, file, info, budget):
        """None for files beyond reason."""
        key = (info.st_dev, info.st_ino, info.st_size, info.st_ctime_ns)
        if key in self.known:
            return self.known[key]
        if info.st_size > MAX_FILE:
            return None
        found, at = hashlib.sha256(), 0
        while count := os.preadv(file, [self.buffer], at):
            at += count
            budget.read(count)
            if at > MAX_FILE:
                return None
            found.update(self.buffer[:count])
            if count < CHUNK:
                break
        # A change in the same tick of the clock would go unnoticed.
        if time.time() - info.st_ctime > 1:
            self.known[key] = found.hexdigest()
        return found.hexdigest()
