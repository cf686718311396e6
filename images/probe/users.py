"""Translates user and group ids to what they are inside a service: where it has a user namespace, the kernel shows other ids outside."""

import re

from hostile import Unobservable, read_table
from tables import lines

LINE = re.compile(rb" *(\d+) +(\d+) +(\d+)")
NOBODY = 65534  # what the kernel itself shows for an id that is not mapped


def ranges(table):
    found = []
    for line in lines(table):
        match = LINE.fullmatch(line)
        if not match:
            raise Unobservable("/proc/PID/uid_map has an unknown format")
        found.append(tuple(int(digits) for digits in match.groups()))
    return found


def inside(mapped, id_outside):
    for first, outside, count in mapped:
        if outside <= id_outside < outside + count:
            return first + id_outside - outside
    return NOBODY


class Users:
    """service: the open folder of its main process below /proc."""

    def __init__(self, service):
        self.users, self.groups = (ranges(read_table(name, folder=service)) for name in ("uid_map", "gid_map"))

    def user(self, uid):
        return inside(self.users, uid)

    def group(self, gid):
        return inside(self.groups, gid)
