"""Kills processes of a container from beside the engine, in its process namespace. Three ways:

kill_group.py led MAIN CONTAINER LEADER            the group that LEADER leads or led, and the foreground of its terminal
kill_group.py inside MAIN CONTAINER LEADER...      the groups of these leaders, by their pids inside the container
kill_group.py session LEADER                       the session that LEADER leads, in the container where this runs

MAIN is the pid of the container's main process, CONTAINER its id, and only processes in its pid namespace are killed. A container
of ours that shares the engine's pid namespace is recognized by its control groups. Each process is held by its own open folder
below /proc, so a reused pid is never killed, and a signal goes to processes one by one, never to a group id. They may start
others meanwhile: this repeats until none is left.
"""

import os
import signal
import sys
import time

from hostile import FOLDER, Gone, Unobservable, read_table
from main_process import open_main
from tables import Status, parse_stat

PAUSE_SECONDS = 0.01
SECONDS = 10


def session_of(process):
    """Its group, its session, and the group in the foreground of its terminal."""
    _, (_, group, session, _, foreground, *_) = parse_stat(read_table("stat", folder=process))
    return group, session, foreground


class Led:
    def __init__(self, main, container, leader):
        self.namespace, self.main, self.leader = os.readlink("ns/pid", dir_fd=open_main(main, container)), int(main), leader
        self.groups = {leader}

    def may_touch(self, process, pid):
        return pid != self.main and os.readlink("ns/pid", dir_fd=process) == self.namespace

    def is_meant(self, process, _):
        """Remembers the foreground group: when its leader ends, a session loses its terminal."""
        group, session, foreground = session_of(process)
        if session == self.leader and group == foreground:
            self.groups.add(group)
        return group in self.groups


class Inside(Led):
    def __init__(self, main, container, *leaders):
        super().__init__(main, container, leaders[0])
        self.groups = set(leaders)

    def is_meant(self, _, status):
        return status.numbers(b"NSpgid")[-1] in self.groups


class Session:
    def __init__(self, leader):
        self.control_groups, self.leader = read_table("/proc/self/cgroup"), leader

    def may_touch(self, process, _):
        return read_table("cgroup", folder=process) == self.control_groups

    def is_meant(self, process, _):
        return session_of(process)[1] == self.leader


def send(process, pid, signum):
    """Through the open folder where the kernel accepts it as a pidfd, so that a reused pid is not hit."""
    try:
        signal.pidfd_send_signal(process, signum)
    except ProcessLookupError:
        pass  # it has ended
    except OSError:
        kill_same(process, pid, signum)


def kill_same(process, pid, signum):
    try:
        read_table("status", folder=process)  # it is still the same
        os.kill(pid, signum)
    except OSError:
        pass  # the next round tells


def is_alive_and_meant(choice, process, pid):
    try:
        if not choice.may_touch(process, pid):
            return False
        status = Status(read_table("status", folder=process))
        is_dead = status.is_dead() and status.numbers(b"Threads")[0] <= 1
        return not is_dead and choice.is_meant(process, status)
    except OSError:
        return False  # it has ended, or is none that may be looked at from here
    except Unobservable as error:
        print(error, file=sys.stderr)
        return False


def find(choice):
    """Open folders and pids of the processes to be killed."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) <= 1 or int(name) == os.getpid():
            continue
        try:
            process = os.open(f"/proc/{name}", FOLDER)
        except OSError:
            continue
        if is_alive_and_meant(choice, process, int(name)):
            found.append((process, int(name)))
        else:
            os.close(process)
    return found


def kill_round(choice):
    """Returns how many there were. All are found before one is stopped, and all are stopped before one is killed, so that the death
    of one does not change the group or session of another."""
    found = find(choice)
    for signum in (signal.SIGSTOP, signal.SIGKILL):
        for process, pid in found:
            send(process, pid, signum)
    for process, _ in found:
        os.close(process)
    return len(found)


def main():
    way, *where = sys.argv[1 : 2 if sys.argv[1] == "session" else 4]
    leaders = [int(pid) for pid in sys.argv[2 + len(where) :]]
    if min(leaders, default=0) <= 1:
        sys.exit("these are not pids of process groups")
    try:
        choice = {"led": Led, "inside": Inside, "session": Session}[way](*where, *leaders)
    except (OSError, Gone):
        return  # the container has ended, and everything in it
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if kill_round(choice) == 0:
            return
        time.sleep(PAUSE_SECONDS)
    sys.exit("new processes are started faster than they can be killed")


main()
