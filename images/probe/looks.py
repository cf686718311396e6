"""The looks at a service, each by its name; see inspect_service.py. They run in a process of their own whose root is the root of
the service: no path and no link of the sandbox leads anywhere else. Open folders: `proc` is the engine's /proc, `service` that of
the service's main process below it."""

import glob
import hashlib
import os
import socket
import stat
import time

from hostile import ABSENT, MAX_TEXT, Budget, Unobservable, open_regular, read_all, read_table, text
from mapped import Mapped
from processes import Processes
from tables import parse_sockets
from users import Users

MAX_FILES = 200
MAX_POWERS = 100_000
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
LISTENING = "0A"
LIVE = ("01", "02", "08")  # established, being established, closed by the other side
PEER_SAMPLES, PEER_PAUSE_SECONDS = 5, 0.04
PRELOADING = (b"LD_PRELOAD=", b"LD_AUDIT=")


class Looks:
    def __init__(self, proc, service, hashes):
        self.proc, self.service, self.hashes = proc, service, hashes
        self.users = Users(service)
        self.processes = Processes(proc, service)

    def look_file(self, order):
        budget = Budget()
        paths = sorted(glob.glob(os.fsencode(order["path"])))[:MAX_FILES]
        return {"entries": [found for found in (entry(path, budget, self.users) for path in paths) if found is not None]}

    def look_trees(self, order):
        budget, found = Budget(), {}
        for path in (each for top in order["paths"] for each in walk(os.fsencode(top), budget)):
            name = text(path)
            try:
                like = self.likeness(path, budget)
            except FileNotFoundError:
                continue
            if found.setdefault(name, like) != like:
                raise Unobservable(f"two files look like {name}")
        return {"entries": found}

    def likeness(self, path, budget):
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
        return hashlib.sha256(f"{info.st_mode} {self.users.user(info.st_uid)} {self.users.group(info.st_gid)} {content}".encode()).hexdigest()[:24]

    def look_powers(self, order):
        budget = Budget(entries=MAX_POWERS)
        paths = {path for named in order["paths"] for path in meant(named, budget)}
        return {"paths": sorted(text(path) for path in paths if gives_power(path))}

    def look_preload(self, _):
        try:
            return {"text": read_text(b"/etc/ld.so.preload", Budget())}
        except FileNotFoundError:
            return {"text": ""}

    def look_processes(self, order):
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

    def look_listeners(self, _):
        sockets, budget = self.listening(), Budget()

        def see(process, executable):
            held = [sockets[inode] for inode in process.sockets() & sockets.keys()]
            if not held:
                return []
            who = {"pid": process.pid, **process.identity(self.users), "executable": executable, "sha256": self.digest_executable(process, budget)}
            return [{**each, **who} for each in held]

        return {"listeners": [entry for held in self.processes.each(see) for entry in held]}

    def look_peers(self, _):
        ports, found = {entry["port"] for entry in self.listening().values()}, set()
        for _ in range(PEER_SAMPLES):
            for _, _, port, far, far_port, state, _, _ in self.connections():
                if state in LIVE and port not in ports:  # not made to one of the ports of the service
                    found.add((socket.inet_ntoa(bytes.fromhex(far[-8:])[::-1]), far_port))
            time.sleep(PEER_PAUSE_SECONDS)
        return {"peers": [{"address": address, "port": port} for address, port in sorted(found)]}


def read_text(path, budget):
    """The beginning of a file; an empty one where there is another kind of thing."""
    try:
        file, _ = open_regular(path)
    except ValueError:
        return ""
    try:
        beginning = read_all(file, MAX_TEXT)[:MAX_TEXT]
    finally:
        os.close(file)
    budget.read(len(beginning))
    return beginning.decode("utf-8", "replace")


def entry(path, budget, users):
    """None when it has gone."""
    try:
        return describe(path, budget, users)
    except FileNotFoundError:
        return None


def describe(path, budget, users):
    info = os.lstat(path)
    found = {
        "path": text(path),
        "type": KINDS.get(stat.S_IFMT(info.st_mode), "other"),
        "mode": f"{stat.S_IMODE(info.st_mode):04o}",
        "uid": users.user(info.st_uid),
        "gid": users.group(info.st_gid),
        "size": info.st_size,
    }
    if stat.S_ISREG(info.st_mode) or (stat.S_ISLNK(info.st_mode) and os.path.isfile(path)):
        found["text"] = read_text(path, budget)
    return found


def refuse(error):
    if error.errno not in ABSENT:
        raise Unobservable(text(os.fsencode(str(error))))


def walk(top, budget):
    """Every file and folder from there on."""
    if os.path.lexists(top):
        budget.entry()
        yield top
    for folder, folders, files in os.walk(top, onerror=refuse):
        for name in folders + files:
            budget.entry()
            yield os.path.join(folder, name)


def meant(named, budget):
    """The engine tells a byte that is no text as a sign of its own: everything in that folder may be meant."""
    clear, sign, _ = named.partition("\ufffd")
    if not sign:
        return [os.fsencode(named)]
    return walk(os.fsencode(clear.rpartition("/")[0] or "/"), budget)


def gives_power(path):
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        return bool(info.st_mode & (stat.S_ISUID | stat.S_ISGID)) or "security.capability" in os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        refuse(error)
        return False
