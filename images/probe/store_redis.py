"""Describes Redis servers, and the sentinels that watch them, as grading compares them: users, settings, commands, functions and modules of
each; whether the replicas hold what their master holds (redis_content.py); and what the sentinels are set to and know of
(redis_sentinels.py). Who is master is not part of it.

Standard input: {"members": [host, ...], "port", "user", "password" or null, "logins": {user: password}, "refused": [password, ...],
"sentinels": {"members": [host, ...], "port", "user" or null, "password" or null} or null, "passwords_may_change": [user, ...],
"settings_may_change": [name, ...], "guesses": whether passwords are guessed}
Standard output: {"things": {name: digest}, "wrong": [text, ...]}
"""

import contextlib
import json
import re
import socket
import sys
import time

from hostile import text
from redis_content import disagreements
from redis_sentinels import read_sentinel, what_sentinels_miss
from redis_users import described, easily_guessed, users_of
from resp import NoAnswer, Redis, Refused, pairs
from store_common import digests, in_threads

ANSWER_SECONDS, SETTLE_SECONDS, PAUSE_SECONDS = 16, 12, 0.2
# Whom a machine follows changes with each failover; the rest only says how much is written down for the person who looks.
NOBODYS_HARM = ("replicaof", "loglevel", "slowlog-log-slower-than", "slowlog-max-len", "latency-monitor-threshold", "latency-tracking",
                "latency-tracking-info-percentiles")
# Those that are asked here, so that none can stand in for another, and those that somebody may have renamed on purpose.
COMMANDS = ("ACL", "COMMAND", "CONFIG", "FUNCTION", "GET", "HGETALL", "INFO", "LRANGE", "MODULE", "PEXPIRETIME", "ROLE", "SCAN", "SELECT",
            "SMEMBERS", "TYPE", "XRANGE", "ZRANGE", "BGREWRITEAOF", "DEBUG", "EVAL", "FAILOVER", "FLUSHALL", "FLUSHDB", "KEYS", "MIGRATE",
            "MONITOR", "REPLICAOF", "SHUTDOWN", "SLAVEOF", "SWAPDB")


def login_words(user, password):
    return [] if password is None else [("AUTH", *([user] if user else []), password)]


def wrong_logins(spec, redis, users):
    """The password of each login works, and nobody is let in by one that is easily guessed, or was once valid."""
    right = list(spec["logins"].items())
    answers = redis.all([("AUTH", *login) for login in right] + login_words(spec["user"], spec["password"]))
    found = [f"the login {user} does not work on {redis.host}" for (user, _), said in zip(right, answers) if said != b"OK"]
    return found + (easily_guessed(redis.host, users, spec["refused"], spec["password"] is None) if spec["guesses"] else [])


def read_member(spec, redis):
    """Pairs of a name and what it is like, and what is wrong with this server."""
    refused = [said for said in redis.all(login_words(spec["user"], spec["password"])) if said != b"OK"]
    if refused:
        raise NoAnswer(f"{redis.host} does not let {spec['user']} in")
    rules, settings, libraries, modules, commands, disk = redis.all(
        [("ACL", "LIST"), ("CONFIG", "GET", "*"), ("FUNCTION", "LIST", "WITHCODE"), ("MODULE", "LIST"), ("COMMAND", "INFO", *COMMANDS), ("INFO", "persistence")]
    )
    if any(isinstance(answer, Refused) for answer in (rules, settings, libraries, modules, commands, disk)):
        raise NoAnswer(f"{redis.host} does not say what it is like")
    users = users_of(rules)
    things = described(users, spec["passwords_may_change"])
    for name, value in pairs(settings).items():
        setting = text(name)
        if setting not in NOBODYS_HARM and setting not in spec["settings_may_change"] and "slave" not in setting:
            things.append((f"setting {setting}", value))
    things += [(f"command {asked}", found[0] if found else b"") for asked, found in zip(COMMANDS, commands)]
    for library in libraries:
        about = dict(zip(library[::2], library[1::2]))
        things.append((f"functions {text(about[b'library_name'])}", about[b"library_code"]))
    things += [(f"module {text(dict(zip(module[::2], module[1::2]))[b'name'])}", repr(module).encode()) for module in modules]
    unwritten = re.search(rb"^aof_last_write_status:(?!ok\r)", disk, re.MULTILINE)
    wrong = [f"{redis.host} cannot write to its disk"] if unwritten else []
    return things, wrong + wrong_logins(spec, redis, users)


def roles(members):
    """The master and its replicas, and what is wrong with them."""
    seen = {redis.host: redis.ask("ROLE") for redis in members}
    masters = [redis for redis in members if seen[redis.host][0] == b"master"]
    replicas = [redis for redis in members if redis not in masters]
    if len(masters) != 1:
        return None, replicas, [f"{len(masters)} of {len(members)} members are master"]
    address = socket.gethostbyname(masters[0].host).encode()
    astray = [redis for redis in replicas if seen[redis.host][1] not in (address, masters[0].host.encode()) or seen[redis.host][3] != b"connected"]
    return masters[0], replicas, [f"{redis.host} does not follow the master" for redis in astray]


def settled(members, sentinels, until):
    """The same, when all have found their places, or have had the time for it."""
    while True:
        master, replicas, wrong = roles(members)
        wrong = wrong or what_sentinels_miss(sentinels, members, master)
        if not wrong or time.monotonic() > until:
            return master, replicas, wrong
        time.sleep(PAUSE_SECONDS)


def opened(stack, hosts, port, until):
    def open_one(host):
        while True:
            try:
                redis = Redis(host, port, until)
                redis.all([("PING",)])
                return redis
            except NoAnswer:
                if time.monotonic() > until - ANSWER_SECONDS + SETTLE_SECONDS / 2:
                    raise
                time.sleep(PAUSE_SECONDS)

    found = in_threads(open_one, hosts, NoAnswer)
    silent = [str(error) for error in found if isinstance(error, NoAnswer)]
    if silent:
        raise NoAnswer("; ".join(silent))
    return [stack.enter_context(redis) for redis in found]


def read_all(stack, spec):
    until = time.monotonic() + ANSWER_SECONDS
    settle_until = until - ANSWER_SECONDS + SETTLE_SECONDS
    members = opened(stack, spec["members"], spec["port"], until)
    watching = spec["sentinels"] or {"members": []}
    sentinels = opened(stack, watching["members"], watching.get("port"), until)
    found, wrong = [], []
    tasks = [(redis, read_member, spec, "") for redis in members] + [(redis, read_sentinel, spec, "the sentinel of ") for redis in sentinels]
    for (redis, _, _, of), answer in zip(tasks, in_threads(lambda task: task[1](task[2], task[0]), tasks, NoAnswer)):
        if isinstance(answer, NoAnswer):
            raise answer
        found += [(name if len(members) == 1 and not of else f"{name} on {of}{redis.host}", data) for name, data in answer[0]]
        wrong += answer[1]
    master, replicas, astray = settled(members, sentinels, settle_until)
    wrong += astray or disagreements(master, replicas)
    return {"things": digests(found), "wrong": wrong}


def describe(spec):
    try:
        with contextlib.ExitStack() as stack:
            return read_all(stack, spec)
    except NoAnswer as error:
        sys.exit(str(error))
    except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        sys.exit("an answer was not understood")


if __name__ == "__main__":
    print(json.dumps(describe(json.load(sys.stdin)), separators=(",", ":")))
