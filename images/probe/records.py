#!/usr/bin/env python3
"""The rows of a set of records, and what customers wrote into it, which is kept here, in the probe, where no user can reach it.

Before a customer sends a write it is noted as attempted, and once it was confirmed, as acknowledged: a line of FOLDER/<set> with the
time, the state and the row, a list of texts whose first is its key. An attempt that nobody confirmed may have been carried out or not.
Check scripts note theirs with `note-write attempted|acknowledged SET KEY [FIELD ...]`; without fields, any content will do.
"""

import hashlib
import json
import os
import sys
import time

import shell_script

FOLDER = "/run/writes"
ATTEMPTED, ACKNOWLEDGED = "attempted", "acknowledged"
MAX_ROWS = 20_000
MAX_KEY = 200
SHOWN_KEY = 150
MAX_OUTPUT = 16 * 1024 * 1024


def note(state, act):
    """What an act of a customer writes: its "writes" are {set: row}."""
    os.makedirs(FOLDER, exist_ok=True)
    for name, row in act.get("writes", {}).items():
        line = json.dumps([time.time(), state, [str(field) for field in row]]) + "\n"
        file = os.open(f"{FOLDER}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line.encode("utf-8", "backslashreplace"))  # one call, so that lines of several programs do not mix
        finally:
            os.close(file)


def digest(fields):
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:12]


def key_of(told):
    """A long key is told by its beginning and a digest of all of it."""
    return told if len(told) <= MAX_KEY else f"{told[:SHOWN_KEY]} {hashlib.sha256(told.encode('utf-8', 'backslashreplace')).hexdigest()}"


def noted(name):
    """[[time, state, key, digest or None], ...]"""
    found = []
    try:
        with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
            for line in file:
                try:
                    at, state, (key, *fields) = json.loads(line)
                except ValueError:
                    continue  # the disk was full in the middle of it
                found.append([at, state, key_of(key), digest(fields) if fields else None])
    except FileNotFoundError:
        pass  # nobody has written yet
    return found


class Unreadable(Exception):
    """The rows cannot be read now: why, and what the script of the set exited with."""

    def __init__(self, said, exit_code=0):
        super().__init__(said)
        self.exit_code = exit_code


def rows_of(source):
    """{key: [digest of each row of this key]}: what the script of the set prints, one row a line, as a JSON list of texts."""
    answer = shell_script.run(source, MAX_OUTPUT)
    if answer["exit_code"] != 0:
        said = (answer["stderr"].strip() or answer["stdout"].strip()).split("\n")[-1]
        raise Unreadable(said, answer["exit_code"])
    found = {}
    lines = answer["stdout"].split("\n")[:-1]
    if len(lines) > MAX_ROWS:
        raise Unreadable(f"there are more than {MAX_ROWS} rows")
    for line in lines:
        try:
            key, *fields = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            raise Unreadable("a row is not a list") from None
        found.setdefault(key_of(str(key)), []).append(digest(["" if field is None else str(field) for field in fields]))
    return {key: sorted(digests) for key, digests in found.items()}


def read(order):
    """{"name", "source": {"text", "env", "stdin"?, "timeout_ms"}} -> {"rows", "writes"} or {"unreadable", "exit_code"}

    `writes` are [age in seconds when the rows began to be read, state, key, digest or None]. Those that were noted while the rows were
    being read are among them, with an age below 0. `exit_code` is that of the source, null when it did not end in time."""
    began = time.time()
    try:
        rows = rows_of(order["source"])
    except (Unreadable, ValueError, RecursionError, MemoryError) as error:
        return {"unreadable": str(error)[:200], "exit_code": getattr(error, "exit_code", 0)}
    return {"rows": rows, "writes": [[began - at, state, key, content] for at, state, key, content in noted(order["name"])]}


if __name__ == "__main__":
    _, state, name, *row = sys.argv
    if state not in (ATTEMPTED, ACKNOWLEDGED) or not row:
        sys.exit("usage: note-write attempted|acknowledged SET KEY [FIELD ...]")
    note(state, {"writes": {name: row}})
