"""The main process of a container, by the number that the engine told. That may be long ago: by now the process may have ended, and
its number may mean one of another container, or of ours."""

import os

from hostile import ABSENT, FOLDER, Gone, read_table


def open_main(number, container):
    """Its open folder below /proc, which never comes to mean another process. Gone unless it is in the container's control group."""
    try:
        folder = os.open(f"/proc/{int(number)}", FOLDER)
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
