"""Secrets of a service that others can read: in files that everybody may open, in logs, in arguments of programs. Runs with the root
directory of the service. It looks at the files that are not as in the image, which it is told, and at whatever is mounted beside it."""

import base64
import errno
import hashlib
import os
import re
import stat

from file_access import Access, mounted
from hostile import ABSENT, Budget, Unobservable, open_regular, read_table, text
from key_files import MOST_KEY, key_of, passwords_in
from packed import is_packed, unpacked
from tables import Status

MOST_FILES = 100_000
MOST_FOUND = 200
MOST_KEYS = 100
CHUNK = 1024 * 1024
# What opening a name may say that was a file when it was listed.
MOVED = (*ABSENT, errno.ELOOP, errno.ENXIO)
LONGEST_MATCH = 256
# How pg_dump begins what it writes, as a script or packed in its own way.
DUMP, DUMP_BYTES = re.compile(rb"PGDMP|(?:--\n)?-- PostgreSQL database (?:cluster )?dump\n"), 64
LOGS = b"/var/log/"
# Its server writes statements there that are slow or fail, whatever stands in them, for its own group.
STATEMENTS = b"/var/log/postgresql/"


def has_data(file, at):
    """Where the next byte that is not in a hole is; None at the end."""
    try:
        return os.lseek(file, at, os.SEEK_DATA)
    except OSError:
        return None


def stands_in(needle, told):
    return needle in told if isinstance(needle, bytes) else needle.search(told) is not None


def search(file, needles, budget):
    """Which of these an open file contains: bytes, or patterns that match no more than LONGEST_MATCH."""
    found, at, rest = set(), 0, b""
    longest = max([LONGEST_MATCH, *(len(needle) for needle in needles if isinstance(needle, bytes))])
    while (begin := has_data(file, at)) is not None:
        part = os.pread(file, CHUNK, begin)
        if not part:
            break
        budget.read(len(part))
        whole = (rest if begin == at else b"") + part
        found.update(needle for needle in needles if needle not in found and stands_in(needle, whole))
        at, rest = begin + len(part), whole[-longest:]
    return found


def is_dump(file, budget):
    """Whether it is a dump of a database, packed or not: what only some roles may read is in it for whoever reads the file."""
    return DUMP.match(os.pread(file, DUMP_BYTES, 0) if not is_packed(file) else next(unpacked(file, budget), b"")) is not None


def search_unpacked(file, needles, budget):
    """The same in what a packed file holds, as far as it can be unpacked: a copy of secrets is no less one."""
    found, rest, whole = set(), b"", set(needles)
    longest = max([LONGEST_MATCH, *(len(needle) for needle in needles if isinstance(needle, bytes))])
    for part in unpacked(file, budget):
        told = rest + part
        found.update(needle for needle in whole.difference(found) if stands_in(needle, told))
        rest = told[-longest:]
    return found


def digest(file, budget):
    found, at = hashlib.sha256(), 0
    while part := os.pread(file, CHUNK, at):
        budget.read(len(part))
        found.update(part)
        at += len(part)
    return found.hexdigest()


class Order:
    """What is looked for. Secrets are texts or patterns; contents of key files and private keys are in base64."""

    def __init__(self, order):
        self.values = [value.encode() for value in order["values"]]
        self.patterns = [re.compile(pattern.encode()) for pattern in order.get("patterns", [])]
        known = order.get("keys", [])
        digests = {key["digest"] for key in known}
        self.keys = [*known, *(key for key in current_keys(order.get("closed", [])) if key["digest"] not in digests)]
        self.sizes = {key["size"] for key in self.keys}
        self.contents = {}
        for key in self.keys:
            if key["content"] is not None:
                content = base64.b64decode(key["content"])
                for told in (content, *passwords_in(key["name"], content)):
                    self.contents.setdefault(told, set()).add(key["name"])
        self.private = [base64.b64decode(key) for key in order.get("private", [])]
        self.collects = order.get("collect", False)

    def needles(self, readable, path):
        shown = [*self.values, *self.patterns]
        if readable:
            return [*shown, *self.contents, *self.private]
        in_log = path.startswith(LOGS) and not path.startswith(STATEMENTS)
        return [*(shown if in_log else []), *self.private]

    def told(self, hits):
        """Secrets by their place in the order, values before patterns."""
        return [at for at, needle in enumerate([*self.values, *self.patterns]) if needle in hits]

    def copied_in(self, hits):
        return {name for content, names in self.contents.items() if content in hits for name in names}

    def same_as(self, size, own):
        return {key["name"] for key in self.keys if key["size"] == size and key["digest"] == own}


def gone(error):
    """Whether an error only says that a file is not there any more, or another by now; any other could hide a secret."""
    if isinstance(error, OSError) and error.errno not in MOVED:
        raise Unobservable(text(os.fsencode(str(error))))
    return True


def current_keys(paths):
    """Key files as they are now: a repair may have changed one, or put a link in its place."""
    found = []
    for name in paths:
        path = os.path.realpath(os.fsencode(name))
        try:
            file, info = open_regular(path, os.O_NOFOLLOW)
        except (ValueError, OSError) as error:
            gone(error)
            continue
        try:
            key = key_of(path, file, info)
        finally:
            os.close(file)
        if key is not None:
            found.append({"name": name, **key})
    return found


class OpenSecrets:
    def __init__(self, service, users, processes, walk, meant):
        self.service, self.processes, self.walk, self.meant = service, processes, walk, meant
        self.access, self.budget = Access(users), Budget(entries=MOST_FILES)

    def paths(self, told):
        """Each once, files of the layer first."""
        named = (path for name in told for path in self.meant(name, self.budget))
        below = (path for top in mounted(self.service) for path in self.walk(top, self.budget))
        return dict.fromkeys([*named, *below])

    def look(self, order):
        wanted, found, keys, known = Order(order), [], {}, set()
        for path in self.paths(order["paths"]):
            try:
                info = os.lstat(path)
                if not stat.S_ISREG(info.st_mode):
                    continue
                readable = self.access.reads(path, info)
                needles = wanted.needles(readable, path)
                # Another name of a file says nothing more about it.
                look = (info.st_dev, info.st_ino, readable, len(needles))
                if look in known and not wanted.collects:
                    continue
                known.add(look)
                collects = wanted.collects and not readable and 0 < info.st_size <= MOST_KEY
                if not collects and not needles and not readable:
                    continue
                file, info = open_regular(path, os.O_NOFOLLOW)
            except (ValueError, OSError) as error:
                gone(error)
                continue
            try:
                key = key_of(path, file, info) if collects else None
                if key is not None:
                    keys[text(path)] = key
                    if len(keys) > MOST_KEYS:
                        raise Unobservable("there are too many files of keys")
                seen = self.see(file, info, readable, needles, wanted)
            finally:
                os.close(file)
            if any(seen.values()):
                found.append({"path": text(path), "readable": readable, **seen})
                if len(found) > MOST_FOUND:
                    raise Unobservable("there are too many files with secrets")
        readable = [path for path in order.get("closed", []) if self.is_readable(os.fsencode(path))]
        return {"files": found, "arguments": self.arguments(wanted), "opened": readable, "keys": keys}

    def see(self, file, info, readable, needles, wanted):
        hits = search(file, needles, self.budget) | search_unpacked(file, needles, self.budget) if needles else set()
        keys = wanted.copied_in(hits) if readable else set()
        if readable and info.st_size in wanted.sizes:
            keys |= wanted.same_as(info.st_size, digest(file, self.budget))
        return {
            "values": wanted.told(hits),
            "copies": sorted(keys),
            "dump": readable and is_dump(file, self.budget),
            "private": any(key in hits for key in wanted.private),
        }

    def is_readable(self, path):
        path = os.path.realpath(path)
        try:
            info = os.lstat(path)
        except OSError as error:
            return not gone(error)
        return stat.S_ISREG(info.st_mode) and self.access.reads(path, info)

    def arguments(self, wanted):
        """Programs of the machine with a secret in their arguments. What somebody has begun in a session that is open ends with it."""
        main = Status(read_table("status", folder=self.service)).numbers(b"Pid")[0]

        def see(process, executable):
            told = process.read("cmdline")
            parent = process.status.numbers(b"PPid")[0]
            return process.pid, parent, executable, wanted.told({each for each in [*wanted.values, *wanted.patterns] if stands_in(each, told)})

        seen = self.processes.each(see)
        parents = {pid: parent for pid, parent, _, _ in seen}

        def is_of_machine(pid):
            passed = set()
            while pid in parents and pid not in passed:
                passed.add(pid)
                if pid == main:
                    return True
                pid = parents[pid]
            return False

        found = {}
        for pid, _, executable, held in seen:
            if held and is_of_machine(pid):
                found.setdefault(executable, set()).update(held)
        if len(found) > MOST_FOUND:
            raise Unobservable("there are too many programs with secrets")
        return [{"executable": executable, "values": sorted(held)} for executable, held in sorted(found.items())]
