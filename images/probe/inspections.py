"""The inspections of a service, one method each; see inspect_service.py. They run in a process whose root directory is
that of the service, so that no path and no symbolic link leads outside it. Directory descriptors: `proc` is the engine's /proc,
`service` is /proc/PID of the service's main process."""

import glob
import hashlib
import os
import socket
import stat
import time

from hostile import (
    ABSENT,
    ATTEMPTS,
    CAPABILITY,
    CHUNK,
    MAX_TEXT,
    PAUSE_SECONDS,
    Budget,
    Unobservable,
    access_lists,
    attribute,
    open_regular,
    read_all,
    read_table,
    text,
)
from key_files import private_keys
from logs import Logs
from mapped_files import Mapped
from open_secrets import OpenSecrets
from processes import Processes
from tables import parse_sockets
from users import Users

MAX_POWERS = 100_000
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
LISTENING = "0A"
RESOLVER = "0B00007F"  # 127.0.0.11
LIVE = ("01", "02", "08")  # established, being established, closed by the other side
PEER_SAMPLES, PEER_PAUSE_SECONDS = 5, 0.04
PRELOADING = (b"LD_PRELOAD=", b"LD_AUDIT=")


class Inspections:
    def __init__(self, proc, service, hashes):
        self.proc, self.service, self.hashes = proc, service, hashes
        self.users = Users(service)
        self.processes = Processes(proc, service)

    def inspect_file(self, order):
        """Files that match a path or pattern. `words`: which of these each file contains; `text`: the whole content of each file."""
        budget, paths = Budget(), sorted(glob.glob(os.fsencode(order["path"])))
        for _ in paths:
            budget.entry()
        content = Content(order.get("words", []), order.get("text", False))
        return {"entries": [found for found in (entry(path, content, self.users) for path in paths) if found is not None]}

    def inspect_trees(self, order):
        budget, found = Budget(), {}
        for path in (each for top in order["paths"] for each in walk(os.fsencode(top), budget)):
            name = text(path)
            try:
                digest = self.digest(path, budget)
            except FileNotFoundError:
                continue
            if found.setdefault(name, digest) != digest:
                raise Unobservable(f"two file names are shown as {name}")
        return {"entries": found}

    def digest(self, path, budget):
        info = os.lstat(path)
        content = ""
        if stat.S_ISLNK(info.st_mode):
            content = text(os.readlink(path))
        elif stat.S_ISREG(info.st_mode):
            file, info = open_regular(path, os.O_NOFOLLOW)
            try:
                content = self.hashes.digest(file, info, budget)
            finally:
                os.close(file)
        told = f"{info.st_mode} {self.users.user(info.st_uid)} {self.users.group(info.st_gid)} {access_lists(path)} {content}"
        return hashlib.sha256(told.encode()).hexdigest()[:24]

    def inspect_powers(self, order):
        budget = Budget(entries=MAX_POWERS)
        paths = {path for named in order["paths"] for path in meant(named, budget)}
        return {"paths": sorted(text(path) for path in paths if gives_power(path))}

    def inspect_logs(self, order):
        return {"logs": Logs(walk, self.processes).describe(order["folders"])}

    def inspect_kept_logs(self, order):
        return {"missing": Logs(walk, self.processes).missing(order["logs"])}

    def inspect_log_writers(self, order):
        return {"logs": Logs(walk, self.processes).written(order["paths"])}

    def inspect_secrets(self, order):
        return OpenSecrets(self.service, self.users, self.processes, walk, meant).look(order)

    def inspect_private_keys(self, order):
        return private_keys(order["paths"], lambda pattern: sorted(glob.glob(os.fsencode(pattern))))

    def inspect_preload(self, _):
        try:
            return {"text": Content([], True).of(b"/etc/ld.so.preload", is_link=True).get("text", "")}
        except FileNotFoundError:
            return {"text": ""}

    def inspect_processes(self, order):
        mapped = Mapped(self.proc, self.hashes, order.get("since", 0))

        def see(process, executable):
            variables = process.read("environ").split(b"\0")
            return {
                "pid": process.pid,
                **process.identity(self.users),
                "executable": executable,
                "sha256": self.digest_executable(process, mapped.budget),
                "preload": any(entry.startswith(PRELOADING) and not entry.endswith(b"=") for entry in variables),
                "maps": mapped.of(process),
            }

        return {"processes": self.processes.each(see)}

    def digest_executable(self, process, budget):
        file = os.open("exe", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=process.folder)
        try:
            return self.hashes.digest(file, os.fstat(file), budget)
        finally:
            os.close(file)

    def connections(self):
        for family in ("tcp", "tcp6"):
            table = read_table(f"net/{family}", folder=self.service)
            yield from ((family, *connection) for connection in parse_sockets(table))

    def listening(self):
        return {
            inode: {"port": port, "family": family, "address": address}
            for family, address, port, _, _, state, _, inode in self.connections()
            if state == LISTENING
        }

    def inspect_listeners(self, _):
        """A socket may be hidden by passing it from process to process: each listening socket must be found open in one."""
        for _ in range(ATTEMPTS):
            sockets = self.listening()
            found = self.holders(sockets)
            if all(inode in found or is_resolver(socket) for inode, socket in sockets.items()):
                return {"listeners": [entry for holders in found.values() for entry in holders]}
            time.sleep(PAUSE_SECONDS)
        raise Unobservable("a listening socket is open in no process")

    def holders(self, sockets):
        """The processes that have these sockets open."""
        budget, found = Budget(), {}

        def see(process, executable):
            held = process.sockets() & sockets.keys()
            if not held:
                return []
            who = {"pid": process.pid, **process.identity(self.users), "executable": executable, "sha256": self.digest_executable(process, budget)}
            return [(inode, {**sockets[inode], **who}) for inode in held]

        for inode, holder in (each for seen in self.processes.each(see) for each in seen):
            found.setdefault(inode, []).append(holder)
        return found

    def inspect_peers(self, _):
        ports, found = {entry["port"] for entry in self.listening().values()}, set()
        for _ in range(PEER_SAMPLES):
            for _, _, port, far, far_port, state, _, _ in self.connections():
                if state in LIVE and port not in ports:  # an incoming connection has a listening port of the service
                    found.add((socket.inet_ntoa(bytes.fromhex(far[-8:])[::-1]), far_port))
            time.sleep(PEER_PAUSE_SECONDS)
        return {"peers": [{"address": address, "port": port} for address, port in sorted(found)]}


class Content:
    """Reads the content of files, completely or not at all: a part that is not read could hide something."""

    def __init__(self, words, whole):
        self.words, self.whole = [word.encode() for word in words], whole
        self.searched, self.told = Budget(), Budget(most_bytes=MAX_TEXT)

    def of(self, path, is_link=False):
        """Returns nothing for what is not a regular file, or a link to what the kernel tells: others than this program may not read that."""
        if not self.words and not self.whole:
            return {}
        try:
            file, info = open_regular(path, 0 if is_link else os.O_NOFOLLOW)
        except ValueError:
            return {}
        try:
            if is_link and info.st_dev in (os.stat(b"/proc").st_dev, os.stat(b"/sys").st_dev):
                return {}
            found = {"words": [text(word) for word in self.words if self.holds(file, word)]} if self.words else {}
            return {**found, "text": self.tell(file)} if self.whole else found
        finally:
            os.close(file)

    def holds(self, file, word):
        at, before = 0, b""
        while part := os.pread(file, CHUNK, at):
            self.searched.read(len(part))
            if word in before + part:
                return True
            at += len(part)
            before = (before + part)[-len(word) :]
        return False

    def tell(self, file):
        told = read_all(file, MAX_TEXT)
        self.told.read(len(told))
        return told.decode("utf-8", "replace")


def entry(path, content, users):
    """Returns None when it no longer exists."""
    try:
        return describe(path, content, users)
    except FileNotFoundError:
        return None


def describe(path, content, users):
    info = os.lstat(path)
    found = {
        "path": text(path),
        "type": KINDS.get(stat.S_IFMT(info.st_mode), "other"),
        "mode": f"{stat.S_IMODE(info.st_mode):04o}",
        "uid": users.user(info.st_uid),
        "gid": users.group(info.st_gid),
        "size": info.st_size,
        "acl": access_lists(path) != [],
    }
    if stat.S_ISREG(info.st_mode) or (stat.S_ISLNK(info.st_mode) and os.path.isfile(path)):
        found.update(content.of(path, stat.S_ISLNK(info.st_mode)))
    return found


def is_resolver(listening):
    """The engine's DNS server, in the network namespace of every container."""
    return listening["family"] == "tcp" and listening["address"] == RESOLVER


def refuse(error):
    if error.errno not in ABSENT:
        raise Unobservable(text(os.fsencode(str(error))))


def walk(top, budget):
    """Every file and folder below."""
    if os.path.lexists(top):
        budget.entry()
        yield top
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    budget.entry()  # while they are read: links make millions of names for nothing
                    yield entry.path
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError as error:
            refuse(error)


def meant(named, budget):
    """The engine replaces bytes that are not UTF-8 by U+FFFD: then every file of that folder is checked."""
    clear, sign, _ = named.partition("\ufffd")
    if not sign:
        return [os.fsencode(named)]
    return walk(os.fsencode(clear.rpartition("/")[0] or "/"), budget)


def gives_power(path):
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        return bool(info.st_mode & (stat.S_ISUID | stat.S_ISGID)) or attribute(path, CAPABILITY) is not None
    except OSError as error:
        refuse(error)
        return False
