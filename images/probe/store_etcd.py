"""Describes an etcd cluster as grading compares it: users, roles and what they are granted, members, and the room that each has; which keys have
a lease (etcd_leases.py); whether the members agree (etcd_members.py); and whose password is not what it should be. The ids of members are not part of it: a repair may
replace one.

Standard input: {"members": [host, ...], "port", "peer_port", "user" and "password" or null, "logins": {user: password},
"refused": [password, ...], "guesses": whether passwords are guessed}
Standard output: {"things": {name: digest}, "room": {name: number}, "wrong": [text, ...]}
"""

import json
import random
import re
import sys
import time

from etcd_gateway import Member
from etcd_leases import lifetimes
from etcd_members import data, settled
from store_common import NoAnswer, digests, guesses_for, in_threads, joined, leave

SETTLE_SECONDS, ANSWER_SECONDS = 15, 4
MOST_ACCOUNTS, MOST_ATTEMPTS = 100, 64
ANY_KEY = {"key": "AA==", "range_end": "AA==", "serializable": True, "keys_only": True, "limit": 1}


def listed(member, kind):
    names = member.ask(f"/v3/auth/{kind}/list", {}).get(f"{kind}s", [])
    if len(names) > MOST_ACCOUNTS:
        raise NoAnswer(f"{member.host} has too many {kind}s to read")
    return names


def granted(member):
    """Users with their roles, and roles with what they are granted, as this member has them."""
    users = [(f"user {name}", data(sorted(member.ask("/v3/auth/user/get", {"name": name}).get("roles", [])))) for name in listed(member, "user")]
    grants = {name: member.ask("/v3/auth/role/get", {"role": name}).get("perm", []) for name in listed(member, "role")}
    return users + [(f"role {name}", b"\n".join(sorted(map(data, found)))) for name, found in grants.items()]


def read_member(spec, member):
    """What it has of users and roles, how large it may get, and which of the logins it refuses."""
    host = member.host
    if spec["password"] is not None:
        if member.post("/v3/kv/range", ANY_KEY)[0] == 200:
            raise NoAnswer(f"{host} asks nobody for a password")
        member.token = member.token_of(spec["user"], spec["password"])
        if member.token is None:
            raise NoAnswer(f"{host} does not let {spec['user']} in")
    refused = [name for name, password in spec["logins"].items() if member.token_of(name, password) is None]
    status, metrics = member.once("GET", "/metrics")
    quota = re.search(rb"^etcd_server_quota_backend_bytes (\d[\d.e+]*)$", metrics, re.MULTILINE) if status == 200 else None
    return granted(member), float(quota[1]) if quota else None, refused


def guessed(spec, members, users):
    """Those who are let in by a password that is tried first. Each guess costs a member as much as a login, so each is made at one of them,
    at another one each time."""
    guesses = [
        (name, guess)
        for name in sorted(users)
        for guess in ("", *guesses_for(name, "etcd", spec["refused"]))
        if guess != spec["logins"].get(name)
    ]
    if len(guesses) > MOST_ATTEMPTS:
        return ["the cluster has too many users to check"]
    random.SystemRandom().shuffle(guesses)
    shares = [(member, guesses[index :: len(members)]) for index, member in enumerate(members)]
    found = in_threads(lambda share: [name for name, guess in share[1] if share[0].token_of(name, guess)], shares, NoAnswer)
    silent = [names for names in found if isinstance(names, NoAnswer)]
    if silent:
        raise joined(silent)
    taken = sorted({name for names in found for name in names})
    return [f"the cluster lets {name} in without a password, or with one that is easily guessed" for name in taken]


def wrong_logins(spec, members, read):
    """The password of each login works at every member, and nobody is let in by one that is easily guessed, or was once valid."""
    wrong = []
    for name in spec["logins"]:
        hosts = [member.host for member, (_, _, refused) in zip(members, read) if name in refused]
        wrong += [f"the login {name} does not work on {', '.join(hosts)}"] if hosts else []
    if not spec["guesses"] or spec["password"] is None:
        return wrong
    return wrong + guessed(spec, members, [name[len("user ") :] for name, _ in read[0][0] if name.startswith("user ")])


def describe(spec):
    settle_until = time.monotonic() + SETTLE_SECONDS
    members = [Member(host, spec["port"], settle_until + ANSWER_SECONDS) for host in spec["members"]]
    peers = [Member(host, spec["peer_port"], settle_until + ANSWER_SECONDS) for host in spec["members"]]
    read = in_threads(lambda member: read_member(spec, member), members, NoAnswer)
    silent = [found for found in read if isinstance(found, NoAnswer)]
    if silent:
        raise joined(silent)
    accounts, wrong = read[0][0], wrong_logins(spec, members, read)
    others = [member.host for member, (own, _, _) in zip(members, read) if own != accounts]
    wrong += [f"{host} knows other users or roles than {members[0].host}" for host in others]
    views, astray = settled(members, peers, settle_until)
    wrong += astray
    known = views[0][0]
    found = accounts + [(f"member {name or 'that never started'}", data(rest)) for _, name, *rest in known]
    found += lifetimes(members[0])
    names, room = {entry[0]: entry[1] for entry in known}, {}
    for member, (_, quota, _), (_, state) in zip(members, read, views):
        found.append((f"who answers at {member.host}", data(names.get(state["header"]["member_id"]))))
        found.append((f"quota of {member.host}", data(quota)))
        if quota is not None:
            room[f"the room of {member.host}"] = quota - int(state.get("dbSize", 0))
    return {"things": digests(found), "room": room, "wrong": wrong}


def answer(spec):
    try:
        return describe(spec)
    except NoAnswer as error:
        leave(str(error), error)
    except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        sys.exit("an answer was not understood")


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin)), separators=(",", ":")))
