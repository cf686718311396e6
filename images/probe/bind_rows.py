"""Prints the records of a zone as rows, as JSON lists of texts: what a record is called, its type and what it says, and how long it is
valid. The serial of a zone is no part of it: every change raises it.

Standard input: what store_bind.py reads, and "query": the name of a zone, or `zone without name name`, which leaves these names out.
"""

import json
import sys

from dns_client import Dns
from dns_message import key_of
from store_common import leave
from store_stream import Unreadable

SERIAL = 2


def rows(spec):
    zone, *rest = spec["query"].split()
    left_out = {name.rstrip(".").lower() for name in rest[1:]}
    key = spec["keys"].get(spec["reader"])
    with Dns(spec["servers"][0], spec["port"]) as server:
        records = server.transfer(zone, None if key is None else key_of(spec["reader"], **key))
    if records is None:
        sys.exit(f"{spec['servers'][0]} does not hand out {zone}")
    for name, kind, seconds, text in records:
        words = text.split()
        if kind == "SOA":
            yield [f"{name} SOA", *words[:SERIAL], *words[SERIAL + 1 :], seconds]
        elif name not in left_out:
            yield [f"{name} {kind} {text}", seconds]


if __name__ == "__main__":
    try:
        for row in rows(json.load(sys.stdin)):
            print(json.dumps([str(field) for field in row]))
    except (Unreadable, OSError, EOFError, ValueError, IndexError) as error:
        leave(f"the zone cannot be read: {error}", error)
