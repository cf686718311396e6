"""Runs one inspection of a service. Paths are resolved in the root of the service: the process can do nothing else
afterwards. inspect_service.py describes the requests, inspections.py implements them."""

import os
import sys

from hostile import ABSENT, FOLDER, Hashes, Unobservable, read_table
from inspections import Inspections

MAX_DEPTH = 4096


def enter(service):
    """Changes the root of this process to the root of the service's mount namespace, even if its main process has called chroot."""
    folder = os.open("root", os.O_PATH | os.O_DIRECTORY, dir_fd=service)
    for _ in range(MAX_DEPTH):
        above = os.open("..", os.O_PATH | os.O_DIRECTORY, dir_fd=folder)
        here, there = os.fstat(folder), os.fstat(above)
        os.close(folder)
        folder = above
        if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
            break
    else:
        raise Unobservable("the root directory of the service cannot be found")
    os.fchdir(folder)
    os.chroot(".")
    # From here on every path is the sandbox's: nothing more is imported.
    sys.path.clear()
    sys.meta_path.clear()


def inspect(service, request):
    inspections = Inspections(os.open("/proc", FOLDER), service, Hashes())
    enter(service)
    return getattr(inspections, f"inspect_{request['inspection']}")(request)


def has_ended(service):
    try:
        read_table("cgroup", folder=service)
        return False
    except OSError as error:
        return error.errno in ABSENT


def run_inspection(service, request):
    try:
        return inspect(service, request)
    except OSError:
        if has_ended(service):
            raise Unobservable("its main program has ended") from None
        raise
