#!/usr/bin/env python3
"""Compares privileges and schema of a PostgreSQL database with what they were; pg_things.py says what is compared.

Arguments as of psql (-h, -U, -d). Without BEFORE in the environment: prints what there is, as digests. With it (what was printed
before): exits with 1 and says what has changed. New tables and indexes are allowed, except unique indexes on old tables.
"""

import argparse
import hashlib
import json
import os
import sys
import threading

from pg_things import ONE_DATABASE, WHOLE_SERVER, read, things, without

HARMLESS_WHEN_NEW = ("table", "index")
ALWAYS_THERE = ("postgres", "template1")


def read_at_once(options, queries):
    """By database."""
    found = {}

    def read_one(database):
        found[database] = read(options.host, options.user, database, queries[database])

    threads = [threading.Thread(target=read_one, args=(database,)) for database in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def look(options):
    """{"role oncall": digest, ...}; other databases than the one asked for have one digest each."""
    queries = {options.database: WHOLE_SERVER + ONE_DATABASE} | {name: ONE_DATABASE for name in ALWAYS_THERE if name != options.database}
    found = read_at_once(options, queries)
    if found[options.database] is None:
        print("rights in the database cannot be read")
        sys.exit(1)
    own, catalogs = found.pop(options.database)
    seen = things(without(own, options.login_may_change, options.settings_may_change)) | catalogs
    for name, answer in found.items():
        rows, catalogs = answer or ([], {})
        described = json.dumps(things(rows) | catalogs, sort_keys=True)
        seen[f"database {name}, what is in it"] = hashlib.sha256(described.encode()).hexdigest()[:10]
    return seen


def changes(before, now):
    for thing in sorted(before.keys() | now.keys()):
        if thing not in now:
            yield f"{thing} is gone"
        elif thing not in before and not thing.startswith(tuple(f"{kind} " for kind in HARMLESS_WHEN_NEW)):
            yield f"{thing} is new"
        elif before.get(thing, now[thing]) != now[thing]:
            yield f"{thing} is not as it was"


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", dest="host", default="db")
    parser.add_argument("-U", dest="user", default="oncall")
    parser.add_argument("-d", dest="database", required=True)
    parser.add_argument("--login-may-change", nargs="*", default=[], metavar="ROLE")
    parser.add_argument("--settings-may-change", nargs="*", default=[], type=str.lower, metavar="NAME")
    options = parser.parse_args()
    now = look(options)
    if "BEFORE" not in os.environ:
        print(json.dumps(now, separators=(",", ":")))
        return
    found = list(changes(json.loads(os.environ["BEFORE"]), now))
    if found:
        print("in the database: " + "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else ""))
        sys.exit(1)
    print("rights, tables and constraints in the database are as they were")


main()
