"""Whether Redis servers that follow a master hold what it holds. Customers go on meanwhile, and a replica is always a little behind, so
only what a replica has otherwise once it has read as far as its master was is told."""

import random
import re
import time

from resp import Refused
from store_common import Late, NoAnswer, digest

MOST_NAMES = 50_000
# Of more keys a part is compared, drawn anew each time, so that nobody knows which.
MOST_VALUES = 1_000
MOST_SUSPECTS = 500
ROUNDS = 3
PAUSE_SECONDS = 0.02
READ = {
    b"string": lambda key: ("GET", key),
    b"hash": lambda key: ("HGETALL", key),
    b"list": lambda key: ("LRANGE", key, 0, -1),
    b"set": lambda key: ("SMEMBERS", key),
    b"zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
    b"stream": lambda key: ("XRANGE", key, "-", "+"),
}
IN_PAIRS, WITHOUT_ORDER = (b"hash", b"zset"), (b"set",)


def names(redis):
    """Every key, with the number of its database."""
    found = set()
    for number in re.findall(rb"^db(\d+):keys=", redis.ask("INFO", "keyspace"), re.MULTILINE):
        redis.ask("SELECT", number)
        cursor = b"0"
        while True:
            cursor, keys = redis.ask("SCAN", cursor, "COUNT", 1000)
            found.update((number, key) for key in keys)
            if len(found) > MOST_NAMES:
                raise NoAnswer(f"{redis.host} has too many keys to compare")
            if cursor == b"0":
                break
    return found


def values(redis, keys):
    """A digest of each key's type, value and end of life; the same for keys that do not exist."""
    found = {}
    for number in sorted({number for number, _ in keys}):
        own = [key for database, key in keys if database == number]
        redis.ask("SELECT", number)
        about = redis.all([command for key in own for command in (("TYPE", key), ("PEXPIRETIME", key))])
        kinds, ends = about[::2], about[1::2]
        read = redis.all([READ.get(kind, READ[b"string"])(key) for key, kind in zip(own, kinds)])
        for key, kind, end, value in zip(own, kinds, ends, read):
            found[number, key] = None if kind == b"none" else digest(repr((kind, end, in_order(kind, value))).encode())
    return [found[key] for key in keys]


def in_order(kind, value):
    """Sets and hashes have no order of their own, and no two servers need to have the same."""
    if not isinstance(value, list) or isinstance(value, Refused):
        return value
    if kind in IN_PAIRS:
        return sorted(zip(value[::2], value[1::2]))
    return sorted(value) if kind in WITHOUT_ORDER else value


def offset(redis):
    """How far a master has written, or a replica has read, the same stream of changes."""
    found = re.search(rb"^(?:slave_repl_offset|master_repl_offset):(\d+)\r?$", redis.ask("INFO", "replication"), re.MULTILINE)
    if found is None:
        raise NoAnswer(f"{redis.host} does not say how far it is")
    return int(found[1])


def catches_up(replica, wanted):
    while offset(replica) < wanted:
        if time.monotonic() > replica.until - 1:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


def some(keys, most):
    return list(keys) if len(keys) <= most else random.SystemRandom().sample(sorted(keys), most)


def suspects(master, replicas):
    """For each replica the keys that it seems to have otherwise."""
    own, others = names(master), [names(replica) for replica in replicas]
    drawn = some(own, MOST_VALUES)
    right = values(master, drawn)
    found = []
    for replica, held in zip(replicas, others):
        differing = {key for key, one, other in zip(drawn, right, values(replica, drawn)) if one != other}
        found.append(some((own ^ held) | differing, MOST_SUSPECTS))
    return found


def proven(master, replica, keys):
    """The keys of which the master had one value all along, and the replica has another although it has read that far; and those
    that were changed meanwhile, of which nothing is known."""
    before = values(master, keys)
    if not catches_up(replica, offset(master)):
        raise Late(f"{replica.host} lags behind")
    held, after = values(replica, keys), values(master, keys)
    wrong = [key for key, first, other, last in zip(keys, before, held, after) if first == last != other]
    changed = [key for key, first, last in zip(keys, before, after) if first != last]
    return wrong, changed


def disagreements(master, replicas):
    """What is told of replicas that hold something else than their master."""
    told = []
    for replica, keys in zip(replicas, suspects(master, replicas)):
        wrong, changed = keys, []
        for _ in range(ROUNDS):
            if wrong or changed:
                wrong, changed = proven(master, replica, wrong + changed)
        if wrong:
            told.append(f"{replica.host} holds other data than its master")
    return told
