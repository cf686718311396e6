"""Parses tables of the kernel below /proc, as bytes. They contain names that a sandbox chose, so each table is parsed by what the
kernel guarantees about its format, never by splitting words, and a table in another format is rejected."""

import os
import re

from hostile import Unobservable

DEAD = (b"Z", b"X", b"x")
DELETED = b" (deleted)"
NUMBERS = re.compile(rb"\d+(?:[\t ]+\d+)*[\t ]*")
STAT_TAIL = re.compile(rb"[A-Za-z](?: -?\d+){20,}\s*")
MAP = re.compile(
    rb"([0-9a-f]+)-([0-9a-f]+) [r-][w-][x-][ps] [0-9a-f]+ ([0-9a-f]+):([0-9a-f]+) (\d+)(?: +([^ ].*)| *)", re.DOTALL
)
SOCKET = re.compile(rb" *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+) +-?\d+ (\d+)(?: .*)?")


def lines(table):
    """The lines of a table: the kernel escapes newlines in names, so every newline ends a line."""
    return table.split(b"\n")[:-1] if table.endswith(b"\n") else table.split(b"\n") if table else []


class Status:
    """The fields of /proc/PID/status after the name. The kernel escapes newlines in the name, so every field starts a line."""

    def __init__(self, table):
        self.table, self.start = table, table.find(b"\n")
        if not table.startswith(b"Name:\t") or self.start < 0:
            raise Unobservable("/proc/PID/status has an unknown format")

    def field(self, name):
        mark = b"\n" + name + b":\t"
        found = self.table.find(mark, self.start)
        if found < 0:
            raise Unobservable(f"/proc/PID/status has no {name.decode()}")
        begin = found + len(mark)
        return self.table[begin : self.table.index(b"\n", begin)]

    def numbers(self, name):
        value = self.field(name)
        if not NUMBERS.fullmatch(value):
            raise Unobservable(f"/proc/PID/status has no numbers as {name.decode()}")
        return [int(number) for number in value.split()]

    def is_dead(self):
        return self.field(b"State")[:1] in DEAD


def parse_stat(table):
    """The fields of /proc/PID/stat from the state on: the last bracket ends the name, whatever the name contains."""
    tail = table.rpartition(b") ")[2]
    if not STAT_TAIL.fullmatch(tail):
        raise Unobservable("/proc/PID/stat has an unknown format")
    state, *rest = tail.split()
    return state, [int(number) for number in rest]


def parse_maps(table, executable=False, deleted=False):
    """(first, last, (device, inode), path) of every mapping, or of executable ones, or of those whose path ends in " (deleted)",
    which a file name may do too; the path is empty for anonymous memory."""
    for line in lines(table):
        if executable and line[line.find(b" ") + 3 :][:1] != b"x":
            continue
        if deleted and not line.endswith(DELETED):
            continue
        match = MAP.fullmatch(line)
        if not match:
            raise Unobservable("/proc/PID/maps has an unknown format")
        first, last, major, minor, inode, path = match.groups()
        device = os.makedev(int(major, 16), int(minor, 16))
        yield int(first, 16), int(last, 16), (device, int(inode)), path or b""


def parse_sockets(table):
    """(address, port, far address, far port, state, user, inode) of every line of /proc/net/tcp or tcp6."""
    for line in lines(table)[1:]:
        match = SOCKET.fullmatch(line)
        if not match:
            raise Unobservable("/proc/net/tcp has an unknown format")
        address, port, far, far_port, state, user, inode = match.groups()
        yield address.decode(), int(port, 16), far.decode(), int(far_port, 16), state.decode(), int(user), int(inode)
