"""Who a user of a service is inside it: where a service has a user namespace, the kernel shows other numbers to those outside."""

import re

from hostile import Unobservable, read_table
from tables import lines

LINE = re.compile(rb" *(\d+) +(\d+) +(\d+)")
NOBODY = 65534  # what the kernel itself shows for numbers that mean nobody


def ranges(table):
    found = []
    for line in lines(table):
        match = LINE.fullmatch(line)
        if not match:
            raise Unobservable("the users of a service are not as the kernel writes them")
        found.append(tuple(int(number) for number in match.groups()))
    return found


def inside(mapped, number):
    for first, outside, count in mapped:
        if outside <= number < outside + count:
            return first + number - outside
    return NOBODY


class Users:
    """service: the open folder of its main process below /proc."""

    def __init__(self, service):
        self.users, self.groups = (ranges(read_table(name, folder=service)) for name in ("uid_map", "gid_map"))

    def user(self, number):
        return inside(self.users, number)

    def group(self, number):
        return inside(self.groups, number)
