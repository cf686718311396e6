"""What the logs of a service hold, by digests, and whether that is still there: in the log itself, or in what rotation made of it beside
it, in one piece or in several. Runs with the root directory of the service.

A log is described by its whole lines at that moment: how many bytes, their digest, and a digest of each line. Whatever is written later
does not count. A few bytes of a digest are enough: nobody gains by another line with the same one.
"""

import base64
import hashlib
import os
from collections import Counter

from hostile import Budget, Unobservable, open_regular, text
from packed import is_packed, unpacked
from writers import regular, writers_of

MOST_LOGS = 200
# Of a log that is longer, its beginning counts; of a machine that has more lines, those of the first logs are known one by one.
MOST_HELD = 4 * 1024 * 1024
MOST_LINES = 20_000
MOST_SEARCHED = 64 * 1024 * 1024
LINE_BYTES = 6
LONGEST_LINE = 1024 * 1024
CHUNK = 256 * 1024
# How the image was made, who logged in, and what supervisord deletes whenever it starts.
NO_LOGS = (b"dpkg.log", b"alternatives.log", b"bootstrap.log", b"faillog", b"lastlog", b"btmp", b"wtmp")
NO_FOLDERS = (b"/var/log/apt/",)
TEMPORARY = b"---supervisor-"


def is_log(path):
    name = os.path.basename(path)
    return name not in NO_LOGS and TEMPORARY not in name and not path.startswith(NO_FOLDERS)


def has_hole(path):
    """Whoever appends leaves none. Beyond one a file may be as long as files may become, so that nothing more can be written."""
    try:
        file, info = open_regular(path)
    except (ValueError, OSError):
        return False
    try:
        return os.lseek(file, 0, os.SEEK_HOLE) < info.st_size
    except OSError:
        return False
    finally:
        os.close(file)


def kind_of(path):
    if regular(path) is not None:
        return "hole" if has_hole(path) else "file"
    return "other" if os.path.lexists(path) else "absent"


def digest_of_line(line):
    return hashlib.sha256(line).digest()[:LINE_BYTES]


def parts_of(file, budget):
    """The content of an open file, as long as somebody asks for more."""
    at = 0
    while part := os.pread(file, CHUNK, at):
        budget.read(len(part))
        at += len(part)
        yield part


def lines_of(file, budget):
    rest = b""
    for part in (unpacked if is_packed(file) else parts_of)(file, budget):
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
        if len(rest) > LONGEST_LINE:
            rest = b""
    if rest:
        yield rest


def are_first(parts, held):
    found, left = hashlib.sha256(), held["bytes"]
    for part in parts:
        found.update(part[:left])
        left -= min(left, len(part))
        if left == 0:
            return found.hexdigest() == held["digest"]
    return False


def begins_with(file, held, budget):
    """Whether its first bytes are those that a log held."""
    if os.fstat(file).st_size >= held["bytes"] and are_first(parts_of(file, budget), held):
        return True
    return is_packed(file) and are_first(unpacked(file, budget), held)


def hold(path, lines_left):
    """What a log holds; None where that is nothing, or it is no file."""
    try:
        file, _ = open_regular(path, os.O_NOFOLLOW)
    except (ValueError, OSError):
        return None
    try:
        content, at = b"", 0
        while at < MOST_HELD and (part := os.pread(file, min(CHUNK, MOST_HELD - at), at)):
            content += part
            at += len(part)
    finally:
        os.close(file)
    content = content[: content.rfind(b"\n") + 1] or content
    lines = content.split(b"\n")[:-1] if content.endswith(b"\n") else [content]
    if not content:
        return None
    known = len(lines) <= lines_left
    told = base64.b64encode(b"".join(map(digest_of_line, lines))).decode() if known else None
    return {"bytes": len(content), "digest": hashlib.sha256(content).hexdigest(), "count": len(lines), "lines": told}


class Siblings:
    """Regular files in the folder of a log and below, those first that have its name in front."""

    def __init__(self, walk):
        self.walk, self.budget, self.known = walk, Budget(), {}

    def of(self, path):
        folder = os.path.dirname(path)
        if folder not in self.known:
            self.known[folder] = [each for each in self.walk(folder, self.budget) if regular(each) is not None]
        return sorted(self.known[folder], key=lambda each: (each != path, not each.startswith(path), each))

    def of_name(self, path):
        return [each for each in self.of(path) if each.startswith(path) and os.path.dirname(each) == os.path.dirname(path)]


def searched(path, work, absent):
    """What `work` finds in a file, which may be gone by now."""
    try:
        file, _ = open_regular(path)
    except (ValueError, OSError):
        return absent
    try:
        return work(file)
    finally:
        os.close(file)


def missing_of(path, held, siblings, budget):
    """How many of the lines that a log held are not there any more."""
    try:
        files = siblings.of(path)
        for each in files:
            if searched(each, lambda file: begins_with(file, held, budget), False):
                return 0
        if held["lines"] is None:
            return held["count"]
        digests = base64.b64decode(held["lines"])
        wanted = Counter(digests[at : at + LINE_BYTES] for at in range(0, len(digests), LINE_BYTES))
        for each in {(info.st_dev, info.st_ino): each for each in files if (info := regular(each)) is not None}.values():
            searched(each, lambda file: cross_off(wanted, file, budget), None)
            if not wanted:
                return 0
        return wanted.total()
    except Unobservable:
        return held["count"]  # there is more than anybody would search


def cross_off(wanted, file, budget):
    for line in lines_of(file, budget):
        found = digest_of_line(line)
        if found in wanted:
            wanted[found] -= 1
            if wanted[found] == 0:
                del wanted[found]
                if not wanted:
                    return


class Logs:
    def __init__(self, walk, processes):
        self.walk, self.processes = walk, processes

    def describe(self, folders):
        found, left = {}, MOST_LINES
        for path in (each for folder in folders for each in self.walk(os.fsencode(folder), Budget())):
            name = text(path)
            held = hold(path, left) if is_log(path) and os.fsencode(name) == path else None
            if held is None:
                continue
            if len(found) == MOST_LOGS:
                raise Unobservable("there are too many logs")
            left -= 0 if held["lines"] is None else held["count"]
            found[name] = held
        writers = writers_of(self.processes, {path: [os.fsencode(path)] for path in found})
        return {path: {**held, "writers": writers[path]} for path, held in found.items()}

    def missing(self, logs):
        siblings, own, budget = Siblings(self.walk), Budget(), Budget(most_bytes=MOST_SEARCHED)
        found = {}
        for name, held in logs.items():
            path = os.fsencode(name)
            kept = searched(path, lambda file, held=held: begins_with(file, held, own), False)
            found[name] = 0 if kept else missing_of(path, held, siblings, budget)
        return found

    def written(self, names):
        siblings = Siblings(self.walk)
        writers = writers_of(self.processes, {name: siblings.of_name(os.fsencode(name)) for name in names})
        return {name: {"kind": kind_of(os.fsencode(name)), "writers": writers[name]} for name in names}
