"""Which keys of an etcd cluster are bound to a lease, and so vanish by themselves. Keys are looked at by the first two parts of their path: keys
of one purpose all stay, or all have a lease, as those of a registry; whoever binds keys that were to stay finds others of their kind beside them.
Which keys there are is not part of it: customers make new ones, and leases end."""

import base64

from store_common import NoAnswer

PARTS, MOST_LETTERS = 2, 200
PAGE, MOST_KEYS, MOST_FOLDERS = 5_000, 50_000, 1_000


def all_keys(member):
    """(key, whether it has a lease) of each, as this member has them."""
    start, count = b"\0", 0
    while True:
        asked = {"key": base64.b64encode(start).decode(), "range_end": "AA==", "keys_only": True, "serializable": True, "limit": PAGE}
        answer = member.ask("/v3/kv/range", asked)
        found = [(base64.b64decode(entry["key"]), entry.get("lease", "0") != "0") for entry in answer.get("kvs", [])]
        count += len(found)
        if count > MOST_KEYS:
            raise NoAnswer(f"{member.host} has too many keys to look at")
        yield from found
        if not found or not answer.get("more"):
            return
        start = found[-1][0] + b"\0"


def folder_of(key):
    """/shop/flags of /shop/flags/search/fuzzy, and /shop of /shop/version."""
    parts = key.decode("utf-8", "backslashreplace").split("/")[:-1]
    return "/".join(parts[: PARTS + (parts[:1] == [""])])[:MOST_LETTERS] or "/"


def lifetimes(member):
    """Names and contents of things: what all keys of a folder have in common, or that only some of them have a lease."""
    kinds = {}
    for key, leased in all_keys(member):
        kinds.setdefault(folder_of(key), set()).add(leased)
        if len(kinds) > MOST_FOLDERS:
            raise NoAnswer(f"{member.host} has keys in too many folders to look at")
    for folder, found in kinds.items():
        if len(found) > 1:
            yield f"lease among keys that stay below {folder}", b""
        else:
            yield f"lifetime of keys below {folder}", b"as long as a lease" if True in found else b"for good"
