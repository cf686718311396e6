"""Which programs of a service have files open for writing."""

import os
import stat

from hostile import ABSENT, FOLDER, Unobservable

MAX_DESCRIPTORS = 65_536


def regular(path):
    """Its stat, where it is a regular file or a link to one; else None."""
    try:
        info = os.stat(path)
    except OSError:
        return None  # nothing, a link to nowhere or in a circle
    return info if stat.S_ISREG(info.st_mode) else None


def is_writing(process, descriptor):
    """The flags of open(2), in octal; the last two bits are 0 for reading only."""
    for line in process.read(f"fdinfo/{descriptor}").split(b"\n"):
        name, _, value = line.partition(b":")
        if name == b"flags":
            return int(value, 8) & os.O_ACCMODE != os.O_RDONLY
    return False


def written_by(process, wanted):
    """Which of these files, by device and inode, a process has open for writing."""
    found = set()
    descriptors = os.open("fd", FOLDER, dir_fd=process.folder)
    try:
        names = os.listdir(descriptors)
        if len(names) > MAX_DESCRIPTORS:
            raise Unobservable("a process has too many open files")
        for name in names:
            try:
                info = os.stat(name, dir_fd=descriptors)
                key = (info.st_dev, info.st_ino)
                if key in wanted and key not in found and is_writing(process, name):
                    found.add(key)
            except OSError as error:
                if error.errno not in ABSENT:
                    raise
    finally:
        os.close(descriptors)
    return found


def writers_of(processes, files):
    """The executables that have any file of each group open for writing; given the groups by name."""
    inodes = {}
    for name, paths in files.items():
        for info in filter(None, map(regular, paths)):
            inodes.setdefault((info.st_dev, info.st_ino), set()).add(name)
    found = {name: set() for name in files}
    for executable, held in processes.each(lambda process, executable: (executable, written_by(process, inodes))):
        for name in (name for key in held for name in inodes[key]):
            found[name].add(executable)
    return {name: sorted(executables) for name, executables in found.items()}
