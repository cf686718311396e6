"""Opens the main process of a container by the pid that the engine reported. The process may have ended since, and its pid may be
reused by another container or by the engine."""

import os

from hostile import ABSENT, FOLDER, Gone, read_table


def open_main(pid, container):
    """Its open folder below /proc, which stays with this process. Raises Gone unless it is in the container's control group."""
    try:
        folder = os.open(f"/proc/{int(pid)}", FOLDER)
    except OSError as error:
        if error.errno in ABSENT:
            raise Gone from None
        raise
    try:
        if container.encode() in read_table("cgroup", folder=folder):
            return folder
    except OSError as error:
        if error.errno not in ABSENT:
            raise
    os.close(folder)
    raise Gone
