"""What the sentinels of Redis servers are set to, and whether they know of each other and of every member."""

import socket

from hostile import text
from redis_users import described, easily_guessed, users_of
from resp import Refused, pairs
from store_common import NoAnswer

PROMISES = (b"quorum", b"down-after-milliseconds", b"failover-timeout", b"parallel-syncs", b"notification-script", b"client-reconfig-script")
ABSENT = b"none"


def read_sentinel(spec, redis):
    """Pairs of a name and what it is like, and what is wrong with this sentinel."""
    watching = spec["sentinels"]
    if redis.all([("AUTH", watching["user"] or "default", watching["password"] or "")]) != [b"OK"]:
        raise NoAnswer(f"the sentinel of {redis.host} does not let {watching['user'] or 'default'} in")
    rules, settings, masters = redis.all([("ACL", "LIST"), ("SENTINEL", "CONFIG", "GET", "*"), ("SENTINEL", "MASTERS")])
    if any(isinstance(answer, Refused) for answer in (rules, settings, masters)):
        raise NoAnswer(f"the sentinel of {redis.host} does not say what it is like")
    users = users_of(rules)
    things = described(users)
    for name, value in pairs(settings).items():
        if text(name) not in spec["settings_may_change"] and name != b"loglevel":
            things.append((f"setting {text(name)}", value))
    for group in map(pairs, masters):
        for promise in PROMISES:
            if text(promise) not in spec["settings_may_change"]:
                things.append((f"{text(promise)} of {text(group[b'name'])}", group.get(promise, ABSENT)))
    guessed = easily_guessed(f"the sentinel of {redis.host}", users, spec["refused"], watching["password"] is None) if spec["guesses"] else []
    return things, guessed


def addresses(members):
    """The address of each host, by its name and by itself: sentinels may be set to say either."""
    found = {redis.host: socket.gethostbyname(redis.host).encode() for redis in members}
    return {host.encode(): address for host, address in found.items()} | {address: address for address in found.values()}


def what_sentinel_misses(redis, at, own, members, master):
    told = f"the sentinel of {redis.host}"
    wanted = {at[member.host.encode()] for member in members if member is not master}
    for group in map(pairs, redis.ask("SENTINEL", "MASTERS")):
        if at.get(group[b"ip"]) != at[master.host.encode()]:
            return f"{told} takes another machine for the master"
        if group[b"flags"] != b"master":
            return f"{told} does not reach the master"
        replicas = [pairs(entry) for entry in redis.ask("SENTINEL", "REPLICAS", group[b"name"])]
        usable = {at.get(entry[b"ip"]) for entry in replicas if entry[b"flags"] == b"slave"}
        if not wanted <= usable:
            return f"{told} reaches {len(wanted & usable)} replicas of {len(wanted)}"
        others = [pairs(entry) for entry in redis.ask("SENTINEL", "SENTINELS", group[b"name"])]
        near = {own.get(entry[b"ip"]) for entry in others if entry[b"flags"] == b"sentinel"}
        if near != set(own.values()) - {own[redis.host.encode()]} or len(others) != len(near):
            return f"{told} is in touch with {len(near)} other sentinels, and knows {len(others)}"
    return None


def what_sentinels_miss(sentinels, members, master):
    """What the sentinels do not know, or see otherwise than it is."""
    at, own = addresses(members), addresses(sentinels)
    missed = (what_sentinel_misses(redis, at, own, members, master) for redis in sentinels)
    return [told for told in missed if told is not None]
