"""What a container's own layer holds beyond its image, read where overlayfs keeps it. Names and contents are the sandbox's; no
path of it is followed, and nothing of it is asked.

Times do not count: whoever changes a file can set them back. A file that was copied and is what it was is no change.
"""

import errno
import json
import os
import stat

from hostile import ABSENT, ACCESS_LISTS, CAPABILITY, FOLDER, SAFE, Budget, Leased, Unobservable, attribute, open_file, with_retries

MAX_CHANGES = 20_000
MAX_LETTERS = 4 * 1024 * 1024
MAX_DEPTH = 256
CHUNK = 256 * 1024
# What is said of a name that has come to mean something else, or nothing, since it was listed.
MOVED = (*ABSENT, errno.ELOOP, errno.ENXIO, errno.EINVAL)
OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
# Rights beside mode and owner, and a folder of the image that is shown in the place of another.
ATTRIBUTES = (CAPABILITY, *ACCESS_LISTS, "trusted.overlay.redirect")


def is_whiteout(info):
    return stat.S_ISCHR(info.st_mode) and info.st_rdev == 0


def attributes(file):
    return [attribute(file, name) for name in ATTRIBUTES]


def folder_attributes(name, above):
    folder = os.open(name, FOLDER, dir_fd=above)
    try:
        return attributes(folder)
    finally:
        os.close(folder)


def is_opaque(folder):
    return any(attribute(folder, name) in (b"y", b"x") for name in OPAQUE)


def is_opened(info, old):
    """Whether everybody may write to it now, or remove what others put there."""
    if stat.S_ISLNK(info.st_mode):
        return False
    return bool(info.st_mode & ~old.st_mode & stat.S_IWOTH or old.st_mode & ~info.st_mode & stat.S_ISVTX)


def rights_of(info):
    """Of what was a folder: its owner and mode, or that it is none any more."""
    kind = f"{stat.S_IFMT(info.st_mode):o}"
    return f"{kind} {stat.S_IMODE(info.st_mode):o} {info.st_uid} {info.st_gid}" if stat.S_ISDIR(info.st_mode) else kind


def look_at(name, folder):
    """None where there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise


class Lower:
    """A folder as the image has it: one layer over the other, the topmost first."""

    def __init__(self, folders):
        self.folders = folders

    def find(self, name):
        """What it is like, and the folder that holds it. None where the image has no such name."""
        for folder in self.folders:
            info = look_at(name, folder)
            if info is not None:
                return None if is_whiteout(info) else (info, folder)
        return None

    def enter(self, name):
        folders = []
        for folder in self.folders:
            info = look_at(name, folder)
            if info is None:
                continue
            if not stat.S_ISDIR(info.st_mode):
                break
            folders.append(os.open(name, FOLDER, dir_fd=folder))
            if is_opaque(folders[-1]):
                break
        return Lower(folders)

    def names(self):
        found = {name for folder in self.folders for name in os.listdir(folder)}
        return sorted(name for name in found if self.find(name) is not None)

    def close(self):
        for folder in self.folders:
            os.close(folder)


class Layer:
    def __init__(self):
        self.budget = Budget(entries=MAX_CHANGES)
        self.changes = []
        self.letters = MAX_LETTERS

    def add(self, kind, path, opened=False, rights=None):
        told = os.fsencode(path).decode("utf-8", "replace")
        self.letters -= len(json.dumps(told))
        if self.letters < 0:
            raise Unobservable("there are more names than can be told")
        more = ({"opened": True} if opened else {}) | ({"rights": rights} if rights else {})
        self.changes.append({"kind": kind, "path": told} | more)

    def walk(self, folder, lower, path, depth=0):
        if depth > MAX_DEPTH:
            raise Unobservable("folders are nested deeper than can be looked at")
        names = set(self.listed(folder))
        for name in names:
            info = look_at(name, folder)
            if info is not None:
                self.see(name, info, folder, lower, f"{path}/{name}", depth)
        if lower.folders and is_opaque(folder):
            for name in set(lower.names()).difference(names):
                self.budget.entry()
                self.add("deleted", f"{path}/{name}")

    def listed(self, folder):
        """Names, counted while they are read: links make millions of them for nothing."""
        with os.scandir(folder) as entries:
            for entry in entries:
                self.budget.entry()
                yield entry.name

    def see(self, name, info, folder, lower, path, depth):
        if is_whiteout(info):
            self.add("deleted", path)
            return
        before = lower.find(name)
        if before is None:
            self.add("added", path)
        elif self.differs(name, info, folder, *before):
            self.add("changed", path, is_opened(info, before[0]), rights_of(info) if stat.S_ISDIR(before[0].st_mode) else None)
        if stat.S_ISDIR(info.st_mode):
            self.walk_below(name, folder, lower, path, depth)

    def walk_below(self, name, folder, lower, path, depth):
        try:
            inner = os.open(name, FOLDER, dir_fd=folder)
        except OSError as error:
            if error.errno in MOVED:
                return
            raise
        below = lower.enter(name)
        try:
            self.walk(inner, below, path, depth + 1)
        finally:
            os.close(inner)
            below.close()

    def differs(self, *both):
        try:
            return self.is_different(*both)
        except OSError as error:
            if error.errno in MOVED:
                return True
            raise

    def is_different(self, name, info, folder, old, old_folder):
        if (info.st_mode, info.st_uid, info.st_gid, info.st_rdev) != (old.st_mode, old.st_uid, old.st_gid, old.st_rdev):
            return True
        if stat.S_ISLNK(info.st_mode):
            return os.readlink(name, dir_fd=folder) != os.readlink(name, dir_fd=old_folder)
        if stat.S_ISDIR(info.st_mode):
            return folder_attributes(name, folder) != folder_attributes(name, old_folder)
        if not stat.S_ISREG(info.st_mode):
            return False
        if info.st_size != old.st_size:
            return True
        file = with_retries(lambda: open_file(name, os.O_NOFOLLOW, folder), Leased)
        try:
            with os.fdopen(os.open(name, SAFE | os.O_NOFOLLOW, dir_fd=old_folder), "rb", buffering=0) as old_file:
                return attributes(file) != attributes(old_file.fileno()) or not self.is_same(file, old_file.fileno())
        finally:
            os.close(file)

    def is_same(self, file, old_file):
        while True:
            part, old_part = os.read(file, CHUNK), os.read(old_file, CHUNK)
            self.budget.read(len(part))
            if part != old_part:
                return False
            if not part:
                return True


def changes_of(upper, lowers):
    layer = Layer()
    folder, lower = os.open(upper, FOLDER), Lower([os.open(path, FOLDER) for path in lowers])
    try:
        layer.walk(folder, lower, "")
    finally:
        os.close(folder)
        lower.close()
    return layer.changes
