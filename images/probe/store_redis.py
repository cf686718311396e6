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
from resp import Lost, Redis, Refused, pairs
from store_common import NoAnswer, digests, in_threads, joined, leave

# How long servers may take to find their places, and to answer beyond that; who does not even open its port is not waited for so long.
SETTLE_SECONDS, ANSWER_SECONDS, PAUSE_SECONDS = 15, 4, 0.2
START_SECONDS = ANSWER_SECONDS + SETTLE_SECONDS - 6
# Whom a machine follows changes with each failover; the rest only says how much is written down for the person who looks.
NOBODYS_HARM = ("replicaof", "loglevel", "slowlog-log-slower-than", "slowlog-max-len", "latency-monitor-threshold", "latency-tracking",
                "latency-tracking-info-percentiles")
# Those that are asked here, so that none can stand in for another, and those that somebody may have renamed on purpose.
COMMANDS = ("ACL", "COMMAND", "CONFIG", "FUNCTION", "GET", "HGETALL", "INFO", "LRANGE", "MODULE", "PEXPIRETIME", "ROLE", "SCAN", "SELECT",
            "SMEMBERS", "TYPE", "XRANGE", "ZRANGE", "BGREWRITEAOF", "DEBUG", "EVAL", "FAILOVER", "FLUSHALL", "FLUSHDB", "KEYS", "MIGRATE",
            "MONITOR", "REPLICAOF", "SHUTDOWN", "SLAVEOF", "SWAPDB")
QUESTIONS = [("ACL", "LIST"), ("CONFIG", "GET", "*"), ("FUNCTION", "LIST", "WITHCODE"), ("MODULE", "LIST"), ("COMMAND", "INFO", *COMMANDS),
             ("INFO", "persistence")]


def login(spec):
    """As the one who looks. Who needs no password is let in by any."""
    return "AUTH", spec["user"] or "default", spec["password"] or ""


def wrong_logins(spec, redis, users):
    """The password of each login works, and nobody is let in by one that is easily guessed, or was once valid."""
    right = list(spec["logins"].items())
    answers = redis.all([*(("AUTH", *words) for words in right), login(spec)])
    found = [f"the login {user} does not work on {redis.host}" for (user, _), said in zip(right, answers) if said != b"OK"]
    return found + (easily_guessed(redis.host, users, spec["refused"], spec["password"] is None) if spec["guesses"] else [])


def read_member(spec, redis):
    """Pairs of a name and what it is like, and what is wrong with this server."""
    if redis.all([login(spec)]) != [b"OK"]:
        raise NoAnswer(f"{redis.host} does not let {spec['user'] or 'default'} in")
    answers = redis.all(QUESTIONS)
    if any(isinstance(answer, Refused) for answer in answers):
        raise NoAnswer(f"{redis.host} does not say what it is like")
    rules, settings, libraries, modules, commands, disk = answers
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
    addresses = (socket.gethostbyname(masters[0].host).encode(), masters[0].host.encode())
    places = [(redis, seen[redis.host]) for redis in replicas]
    astray = [redis for redis, place in places if place[1] not in addresses or place[3] != b"connected"]
    return masters[0], replicas, [f"{redis.host} does not follow the master" for redis in astray]


def settled(members, sentinels, until):
    """The same, when all have found their places, or have had the time for it."""
    while True:
        master, replicas, wrong = roles(members)
        wrong = wrong or what_sentinels_miss(sentinels, members, master)
        if not wrong or time.monotonic() > until:
            return master, replicas, wrong
        time.sleep(PAUSE_SECONDS)


def open_one(host, port, until):
    while True:
        try:
            redis = Redis(host, port, until)
            redis.all([("PING",)])
            return redis
        except NoAnswer as error:
            if time.monotonic() > until - START_SECONDS:
                return error
            time.sleep(PAUSE_SECONDS)


def opened(stack, hosts, port, until):
    found = in_threads(lambda host: open_one(host, port, until), hosts, NoAnswer)
    silent = [error for error in found if isinstance(error, NoAnswer)]
    if silent:
        raise joined(silent)
    return [stack.enter_context(redis) for redis in found]


def read_all(stack, spec, settle_until):
    until = settle_until + ANSWER_SECONDS
    members = opened(stack, spec["members"], spec["port"], until)
    watching = spec["sentinels"] or {"members": []}
    sentinels = opened(stack, watching["members"], watching.get("port"), until)
    found, wrong = [], []
    tasks = [(redis, read_member, "") for redis in members] + [(redis, read_sentinel, "the sentinel of ") for redis in sentinels]
    for (redis, _, of), answer in zip(tasks, in_threads(lambda task: task[1](spec, task[0]), tasks, NoAnswer)):
        if isinstance(answer, NoAnswer):
            raise answer
        found += [(name if len(members) == 1 and not of else f"{name} on {of}{redis.host}", data) for name, data in answer[0]]
        wrong += answer[1]
    master, replicas, astray = settled(members, sentinels, settle_until)
    wrong += astray or disagreements(master, replicas)
    return {"things": digests(found), "wrong": wrong}


def describe(spec):
    settle_until = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            with contextlib.ExitStack() as stack:
                return read_all(stack, spec, settle_until)
        except Lost as error:
            if time.monotonic() > settle_until:
                leave(str(error), error)
            time.sleep(PAUSE_SECONDS)
        except NoAnswer as error:
            leave(str(error), error)
        except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError):
            sys.exit("an answer was not understood")


if __name__ == "__main__":
    print(json.dumps(describe(json.load(sys.stdin)), separators=(",", ":")))
