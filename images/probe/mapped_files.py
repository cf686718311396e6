"""The files that a process has mapped as executable code. The kernel shows device and inode of each mapping; the path may lead to
another file by now, or to none. So a file is taken for the mapped one only if mapping it again shows the same device and inode.
Runs with the root directory of the service."""

import mmap
import os

from hostile import Budget, Unobservable, open_regular, read_table, text
from tables import lines, parse_maps

ANONYMOUS = b"[anonymous]"
KERNEL = (b"[vdso]", b"[vsyscall]")
MAX_MAPPED = 4000


class Mapped:
    """Describes mapped files, each one once: most processes of a service share theirs."""

    def __init__(self, proc, hashes, since):
        self.proc, self.hashes, self.since = proc, hashes, since
        self.budget = Budget(entries=MAX_MAPPED)
        self.known = {}
        self.device = os.stat("/").st_dev
        self.own = self.own_lines()

    def own_lines(self):
        return set(lines(read_table("self/maps", folder=self.proc)))

    def of(self, process):
        found = {}
        for _, _, which, path in parse_maps(process.read("maps"), executable=True):
            if path not in KERNEL:
                found[(path or ANONYMOUS, which)] = True
        return [self.entry(path, which) for path, which in found]

    def entry(self, path, which):
        if (path, which) not in self.known:
            self.budget.entry()
            self.known[path, which] = self.look(path, which)
        return self.known[path, which]

    def look(self, path, which):
        seen = {"path": text(path), "sha256": None, "ctime": None}
        if not path.startswith(b"/"):
            return {**seen, "sha256": ""}
        try:
            file, info = open_regular(path, os.O_NOFOLLOW)
        except (OSError, ValueError):
            return seen
        try:
            if (info.st_dev, info.st_ino) != which and not self.is_same(file, which):
                return seen
            if info.st_dev == self.device:  # on other file systems, such as tmpfs, a write through a mapping may leave ctime unchanged
                seen["ctime"] = info.st_ctime
            if seen["ctime"] is None or info.st_ctime > self.since:
                seen["sha256"] = self.hashes.digest(file, info, self.budget)
            return seen
        finally:
            os.close(file)

    def is_same(self, file, which):
        """Compares device and inode as /proc/PID/maps shows them: on some file systems they differ from those of stat."""
        try:
            mapping = mmap.mmap(file, 1, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
        except (OSError, ValueError):
            return False
        with mapping:
            new = b"\n".join(self.own_lines() - self.own)
        files = [shown for _, _, shown, _ in parse_maps(new) if shown[1] != 0]
        if len(files) != 1:
            raise Unobservable("a mapped file cannot be compared")
        return files[0] == which
