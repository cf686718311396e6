"""Which files of a service everybody may read: others, the groups of ordinary users, and the user nobody. And what is mounted in it
beside its own layers. Runs with the root directory of the service."""

import os
import re
import stat

from hostile import Unobservable, access_lists, read_table
from tables import lines

COMMON_GROUPS = (100, 65534)  # users, nogroup
NOBODY = 65534
VIRTUAL = (b"proc", b"sysfs", b"devpts", b"mqueue", b"cgroup", b"cgroup2")
MOUNT = re.compile(rb"\d+ \d+ \d+:\d+ \S+ (\S+) \S+(?: \S+)* - (\S+) \S+ \S+")
ESCAPED = re.compile(rb"\\(\d{3})")


def mounted(service):
    """What else is mounted in the service: storage, memory, single files."""
    found = []
    for line in lines(read_table("mountinfo", folder=service)):
        match = MOUNT.fullmatch(line)
        if not match:
            raise Unobservable("/proc/PID/mountinfo has an unknown format")
        path = ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), match[1])
        if match[2] not in VIRTUAL and path != b"/" and not path.startswith((b"/proc/", b"/sys/")):
            found.append(path)
    return found


class Access:
    """Whether everybody may read a file. Folders are looked at once."""

    def __init__(self, users):
        self.users, self.folders = users, {b"/": True}

    def allows(self, path, info, right):
        """right: 4 to read, 1 to pass."""
        if info.st_mode & right:
            return True
        if info.st_mode & right << 3 and self.users.group(info.st_gid) in COMMON_GROUPS:
            return True
        if info.st_mode & right << 6 and self.users.user(info.st_uid) == NOBODY:
            return True
        return access_lists(path) != []

    def enters(self, folder):
        if folder not in self.folders:
            above = os.path.dirname(folder)
            self.folders[folder] = above != folder and self.enters(above) and self.passes(folder)
        return self.folders[folder]

    def passes(self, folder):
        try:
            info = os.lstat(folder)
            return stat.S_ISDIR(info.st_mode) and self.allows(folder, info, 1)
        except OSError:
            return False

    def reads(self, path, info):
        return self.enters(os.path.dirname(path)) and self.allows(path, info, 4)
