"""Reads files and kernel tables whose content a sandbox controls: as bytes, bounded in size, and without ever blocking on the
sandbox. All programs of the probe image read through here; tables.py parses the tables of the kernel.

What cannot be read completely raises Unobservable, which fails the check for this sandbox only. A process that has ended raises Gone.
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
CAPABILITY = "security.capability"
ACCESS_LISTS = ("system.posix_acl_access", "system.posix_acl_default")


class Unobservable(Exception):
    """Something in the sandbox cannot be read completely."""


class Gone(Exception):
    """The process has ended."""


class Leased(Exception):
    """A process of the sandbox holds a lease on the file (fcntl F_SETLEASE), so that opening it would block."""


class Budget:
    """How many bytes and directory entries one check may read."""

    def __init__(self, most_bytes=MAX_BYTES, entries=MAX_ENTRIES):
        self.bytes = most_bytes
        self.entries = entries

    def read(self, count):
        self.bytes -= count
        if self.bytes < 0:
            raise Unobservable("there is too much data to read")

    def entry(self):
        self.entries -= 1
        if self.entries < 0:
            raise Unobservable("there are too many files to read")


def text(name):
    """As text, for people and JSON: bytes that are not UTF-8 are escaped."""
    return name.decode("utf-8", "backslashreplace")


def with_retries(work, temporary):
    """Retries while a temporary error occurs; a sandbox that causes it all the time is Unobservable."""
    for _ in range(ATTEMPTS):
        try:
            return work()
        except temporary as error:
            last = error
        time.sleep(PAUSE_SECONDS)
    raise Unobservable(str(last) or type(last).__name__)


def open_file(path, flags=0, folder=None):
    """Never blocks: neither on a named pipe nor on a lease."""
    try:
        return os.open(path, SAFE | flags, dir_fd=folder)
    except BlockingIOError:
        raise Leased(f"{text(os.fsencode(path))} is held by a lease") from None


def open_regular(path, flags=0):
    """Returns the descriptor of a regular file and its stat. Raises ValueError for any other type of file."""
    file = with_retries(lambda: open_file(path, flags), Leased)
    info = os.fstat(file)
    if not stat.S_ISREG(info.st_mode):
        os.close(file)
        raise ValueError("not a file")
    return file, info


def attribute(file, name):
    """An extended attribute of a path or an open file; no link is followed. None where there is none."""
    try:
        return os.getxattr(file, name) if isinstance(file, int) else os.getxattr(file, name, follow_symlinks=False)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.ENOTSUP, errno.EPERM):
            return None
        raise


def access_lists(file):
    """Those that give rights beside mode and owner."""
    return [found for found in (attribute(file, name) for name in ACCESS_LISTS) if found is not None]


def read_all(file, most):
    """Reads at most `most` + 1 bytes from an open file: the extra byte shows that there are more."""
    parts, left = [], most + 1
    while left > 0:
        part = os.read(file, min(left, TABLE_CHUNK))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def read_table(path, folder=None, most=MAX_TABLE):
    """Reads a whole file below /proc."""
    file = open_file(path, folder=folder)
    try:
        table = read_all(file, most)
    finally:
        os.close(file)
    if len(table) > most:
        raise Unobservable("a table of the kernel is too long to read")
    return table


class Hashes:
    """SHA-256 of open files. Each file is read once per check and again in the next one: timestamps do not show that a file is
    unchanged, because a process that has it mapped can write to it without changing them."""

    def __init__(self):
        self.known = {}
        self.buffer = memoryview(bytearray(CHUNK))

    def digest(self, file, info, budget):
        """Returns None for files larger than MAX_FILE."""
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
        # A file changed within the last clock tick could change again without a new ctime.
        if time.time() - info.st_ctime > 1:
            self.known[key] = found.hexdigest()
        return found.hexdigest()
