"""Looks at a service from outside: files, processes and sockets as the kernel shows them. No program of the service takes
part, and none can see this one. Argument: the number of the service's main process.
One JSON object a line: {"id", "look", ...} -> {"id", ...}.

look: file       {"path"} -> {"entries": [{"path", "type", "mode", "uid", "gid", "size", "sha256"?, "text"?}]}; the path may hold * and ?
      processes  -> {"processes": [{"pid", "parent", "uid", "privileged", "executable", "sha256", "preload", "maps": [{"path", "sha256", "ctime"}]}]};
                 mapped files that have not changed after {"since"} are not read: their sha256 is null
      listeners  -> {"listeners": [{"port", "address", "pid", "uid", "privileged", "executable", "sha256"}]}
      peers      -> {"peers": [{"address", "port"}]}: whom the service has connected to, seen during a moment
      preload    -> {"text"}: /etc/ld.so.preload
      powers     {"paths"} -> {"paths"}: those that give whoever runs them the rights of somebody else, or capabilities
      trees      {"paths"} -> {"entries": {path: what it is like}}: every file and folder from there on, in one word each
"""

import glob
import hashlib
import json
import os
import resource
import socket
import stat
import sys
import threading
import time

MAX_TEXT = 64 * 1024
MAX_FILE = 64 * 1024 * 1024
MAX_TREE = 5000
MAX_MEMORY = 512 * 1024 * 1024
ANONYMOUS = "[anonymous]"
KERNEL = ("[vdso]", "[vsyscall]")
LIVE = ("01", "02", "08")  # established, being established, closed by the other side
PEER_SAMPLES, PEER_PAUSE_SECONDS = 5, 0.04
main_process = int(sys.argv[1])
namespace = os.readlink(f"/proc/{main_process}/ns/pid")
hashes = {}

# Many look at once in one container: each bounds itself, so that what one sandbox shows costs no other anything.
resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def digest(path):
    """SHA-256 of a file, remembered by identity, size and change time."""
    try:
        info = os.stat(path)
        key = (info.st_dev, info.st_ino, info.st_size, info.st_ctime_ns)
        if key not in hashes:
            if info.st_size > MAX_FILE or not stat.S_ISREG(info.st_mode):
                return None
            with open(path, "rb") as file:
                hashes[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return hashes[key]
    except OSError:
        return None


def inside(work):
    """Runs in a child whose root is the service's root, so that no symbolic link leads elsewhere."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.chroot(f"/proc/{main_process}/root")
            os.chdir("/")
            reply = work()
        except Exception as error:
            reply = {"failed": f"{type(error).__name__}: {error}"}
        with os.fdopen(write_end, "w") as out:
            json.dump(reply, out)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text or '{"failed": "the look into the service was cut off"}')


def entry(path):
    info = os.lstat(path)
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    found = {
        "path": path,
        "type": kinds.get(stat.S_IFMT(info.st_mode), "other"),
        "mode": f"{stat.S_IMODE(info.st_mode):04o}",
        "uid": info.st_uid,
        "gid": info.st_gid,
        "size": info.st_size,
    }
    if stat.S_ISLNK(info.st_mode) and os.path.exists(path):
        info = os.stat(path)
    if stat.S_ISREG(info.st_mode):
        found["sha256"] = digest(path)
        with open(path, "rb") as file:
            found["text"] = file.read(MAX_TEXT).decode("utf-8", "replace")
    return found


def look_file(order):
    return inside(lambda: {"entries": [entry(path) for path in sorted(glob.glob(order["path"]))[:200]]})


def likeness(path):
    info = os.lstat(path)
    content = os.readlink(path) if stat.S_ISLNK(info.st_mode) else digest(path) if stat.S_ISREG(info.st_mode) else ""
    return hashlib.sha256(f"{info.st_mode} {info.st_uid} {info.st_gid} {content}".encode()).hexdigest()[:24]


def walk(path):
    if os.path.lexists(path):
        yield path
    for folder, folders, files in os.walk(path):
        yield from (os.path.join(folder, name) for name in folders + files)


def likenesses(paths):
    found = {}
    for path in (each for top in paths for each in walk(top)):
        if len(found) == MAX_TREE:
            raise ValueError(f"more than {MAX_TREE} files")
        found[path] = likeness(path)
    return {"entries": found}


def look_trees(order):
    return inside(lambda: likenesses(order["paths"]))


def gives_power(path):
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        return bool(info.st_mode & (stat.S_ISUID | stat.S_ISGID)) or "security.capability" in os.listxattr(path, follow_symlinks=False)
    except OSError:
        return False


def look_powers(order):
    return inside(lambda: {"paths": [path for path in order["paths"] if gives_power(path)]})


def look_preload(_):
    return inside(lambda: {"text": open("/etc/ld.so.preload").read(MAX_TEXT) if os.path.exists("/etc/ld.so.preload") else ""})


def belongs(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") == namespace
    except OSError:
        return False


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and belongs(name)]


def mapped(pid):
    """The files whose code a process may run, its executable among them, and whether it has code that no file holds."""
    found = {}
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            fields = line.split(None, 5)
            path = fields[5].strip() if len(fields) == 6 else ANONYMOUS
            if "x" in fields[1] and path not in KERNEL:
                found[path] = fields[0]
    return found


def identity(pid):
    """As whom a process runs: the most powerful user that it is or can become again, and whether it holds more than a user may."""
    status = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status").read().splitlines() if ":\t" in line)
    uid = min(int(number) for number in status["Uid"].split())
    return {"parent": int(status["PPid"]), "uid": uid, "privileged": uid == 0 or int(status["CapPrm"], 16) != 0}


def process(pid, since):
    executable = os.readlink(f"/proc/{pid}/exe")
    environment = open(f"/proc/{pid}/environ", "rb").read(MAX_TEXT).split(b"\0")
    maps = []
    for path, span in mapped(pid).items():
        if path.startswith("["):
            maps.append({"path": path, "sha256": "", "ctime": None})
            continue
        through = f"/proc/{pid}/map_files/{span}"
        real = through if os.path.exists(through) else f"/proc/{pid}/root{path}"
        try:
            changed = os.stat(real).st_ctime
        except OSError:
            changed = None
        unchanged = changed is not None and changed <= since
        maps.append({"path": path, "sha256": None if unchanged else digest(real), "ctime": changed})
    seen = {
        "pid": pid,
        **identity(pid),
        "executable": executable,
        "sha256": digest(f"/proc/{pid}/exe"),
        "preload": any(entry.startswith((b"LD_PRELOAD=", b"LD_AUDIT=")) and not entry.endswith(b"=") for entry in environment),
        "maps": maps,
    }
    os.readlink(f"/proc/{pid}/exe")  # one that ended under our eyes looks like one without code
    return seen


def look_processes(order):
    found = []
    for pid in pids():
        try:
            found.append(process(pid, order.get("since", 0)))
        except (OSError, KeyError, ValueError):
            continue  # it ended meanwhile, or it is a process of the kernel
    return {"processes": found}


def listening():
    sockets = {}
    for family in ("tcp", "tcp6"):
        with open(f"/proc/{main_process}/net/{family}") as table:
            for line in list(table)[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    address, port = fields[1].rsplit(":", 1)
                    sockets[fields[9]] = (family, address, int(port, 16))
    return sockets


def descriptors(pid):
    """What a process has open; one that it closes meanwhile does not hide the others."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            yield os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue


def look_listeners(_):
    sockets = listening()
    found = []
    for pid in pids():
        try:
            for link in set(descriptors(pid)):
                inode = link[8:-1] if link.startswith("socket:[") else None
                if inode in sockets:
                    family, address, port = sockets[inode]
                    exe = os.readlink(f"/proc/{pid}/exe")
                    found.append(
                        {"port": port, "family": family, "address": address, "pid": pid, **identity(pid), "executable": exe, "sha256": digest(f"/proc/{pid}/exe")}
                    )
        except (OSError, KeyError, ValueError):
            continue
    return {"listeners": found}


def connected(ports):
    """The far ends of connections that were not made to one of these ports of the service."""
    for family in ("tcp", "tcp6"):
        with open(f"/proc/{main_process}/net/{family}") as table:
            for line in list(table)[1:]:
                fields = line.split()
                port = int(fields[1].rsplit(":", 1)[1], 16)
                if fields[3] in LIVE and port not in ports:
                    address, far_port = fields[2].rsplit(":", 1)
                    yield socket.inet_ntoa(bytes.fromhex(address[-8:])[::-1]), int(far_port, 16)


def look_peers(_):
    ports, found = {port for _, _, port in listening().values()}, set()
    for _ in range(PEER_SAMPLES):
        found.update(connected(ports))
        time.sleep(PEER_PAUSE_SECONDS)
    return {"peers": [{"address": address, "port": port} for address, port in sorted(found)]}


LOOKS = {"file": look_file, "processes": look_processes, "listeners": look_listeners, "preload": look_preload, "peers": look_peers, "powers": look_powers,
         "trees": look_trees}
writing = threading.Lock()


def answer(order):
    try:
        reply = LOOKS[order["look"]](order)
    except Exception as error:
        reply = {"failed": f"{type(error).__name__}: {error}"}
    with writing:
        print(json.dumps({"id": order["id"], **reply}), flush=True)


def main():
    for line in sys.stdin:
        order = json.loads(line)
        if order["look"] == "peers":  # takes its time beside the others
            threading.Thread(target=answer, args=(order,), daemon=True).start()
        else:
            answer(order)


main()
