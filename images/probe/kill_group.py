"""Kills processes of a container from beside the engine, in its process namespace. Three ways:

kill_group.py led MAIN CONTAINER LEADER            the group that LEADER leads or led, and the foreground of its terminal
kill_group.py inside MAIN CONTAINER LEADER...      the groups of these leaders, by the numbers that the container itself knows
kill_group.py late LEADER                          the session that LEADER leads, in the container where this runs

MAIN is the container's main process, CONTAINER its id, and only processes in its process namespace are touched; a container of ours that shares
the engine's is known by its control groups. Each process is held by its own open folder below /proc: none of them can pass for
another, and no number of a group is ever signalled. They may start others meanwhile: looks again until there is none.
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
        """What was in the foreground is remembered: with its leader a session loses its terminal."""
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


class Late:
    def __init__(self, leader):
        self.control_groups, self.leader = read_table("/proc/self/cgroup"), leader

    def may_touch(self, process, _):
        return read_table("cgroup", folder=process) == self.control_groups

    def is_meant(self, process, _):
        return session_of(process)[1] == self.leader


def send(process, pid, number):
    """By the open folder where the kernel takes it for a process, which cannot have become another by then."""
    try:
        signal.pidfd_send_signal(process, number)
    except ProcessLookupError:
        pass  # it has ended
    except OSError:
        kill_same(process, pid, number)


def kill_same(process, pid, number):
    try:
        read_table("status", folder=process)  # it is still the same
        os.kill(pid, number)
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
    """Open folders and numbers of the processes that are meant."""
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
    """How many were there. All are found before one is stopped, and stopped before one is killed: none changes what others are."""
    found = find(choice)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for process, pid in found:
            send(process, pid, number)
    for process, _ in found:
        os.close(process)
    return len(found)


def main():
    way, *where = sys.argv[1 : 2 if sys.argv[1] == "late" else 4]
    leaders = [int(number) for number in sys.argv[2 + len(where) :]]
    if min(leaders, default=0) <= 1:
        sys.exit("these are no numbers of processes")
    try:
        choice = {"led": Led, "inside": Inside, "late": Late}[way](*where, *leaders)
    except (OSError, Gone):
        return  # the container has ended, and everything in it
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if kill_round(choice) == 0:
            return
        time.sleep(PAUSE_SECONDS)
    sys.exit("there are new processes all the time")


main()
