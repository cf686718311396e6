"""Describes an etcd cluster as grading compares it: users, roles and what they are granted, members, the room that each has; whether the members
know the same and agree in content; and whose password is not what it should be. The ids of members are not part of it: a repair may replace one.

Standard input: {"members": [host, ...], "port", "peer_port", "user" and "password" or null, "logins": {user: password}, "refused": [password, ...],
"guesses": whether passwords are guessed}
Standard output: {"things": {name: digest}, "room": {name: number}, "wrong": [text, ...]}
"""

import json
import random
import re
import sys
import time

from etcd_gateway import Member, NoAnswer
from store_common import digests, guesses_for, in_threads

SETTLE_SECONDS, PAUSE_SECONDS = 12, 0.2
MOST_ACCOUNTS, MOST_ATTEMPTS = 100, 64
MIDDLE = {"key": "AA==", "range_end": "AA==", "serializable": True, "keys_only": True, "limit": 1}


def data(value):
    return json.dumps(value, sort_keys=True).encode()


def listed(member, kind):
    names = member.ask(f"/v3/auth/{kind}/list", {}).get(f"{kind}s", [])
    if len(names) > MOST_ACCOUNTS:
        raise NoAnswer(f"{member.host} has too many {kind}s to read")
    return names


def granted(member):
    """Users with their roles, and roles with what they are granted, as this member has them."""
    users = [(f"user {name}", data(sorted(member.ask("/v3/auth/user/get", {"name": name}).get("roles", [])))) for name in listed(member, "user")]
    found = []
    for name in listed(member, "role"):
        found.append((f"role {name}", data(sorted(map(data_text, member.ask("/v3/auth/role/get", {"role": name}).get("perm", []))))))
    return users + found


def data_text(value):
    return data(value).decode()


def read_member(spec, member):
    """What it has of users and roles, how large it may get, and which of the logins it refuses."""
    host = member.host
    if spec["password"] is not None:
        if member.post("/v3/kv/range", MIDDLE)[0] == 200:
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
        (name, guess) for name in sorted(users) for guess in ("", *guesses_for(name, "etcd", spec["refused"])) if guess != spec["logins"].get(name)
    ]
    if len(guesses) > MOST_ATTEMPTS:
        return ["the cluster has too many users to check"]
    random.SystemRandom().shuffle(guesses)
    shares = [(member, guesses[index :: len(members)]) for index, member in enumerate(members)]
    found = in_threads(lambda share: [name for name, guess in share[1] if share[0].token_of(name, guess)], shares, NoAnswer)
    silent = [names for names in found if isinstance(names, NoAnswer)]
    if silent:
        raise silent[0]
    taken = sorted({name for names in found for name in names})
    return [f"the cluster lets {name} in without a password, or with one that is easily guessed" for name in taken]


def member_list(answer):
    return sorted(
        ([entry.get(key) for key in ("ID", "name", "peerURLs", "clientURLs", "isLearner")] for entry in answer.get("members", [])), key=data
    )


def look(member):
    return member_list(member.ask("/v3/cluster/member/list", {})), member.ask("/v3/maintenance/status", {})


def at_odds(members, views):
    """What the members do not agree on, other than content."""
    first, ids, (known, status) = members[0].host, {}, views[0]
    for member, (own, state) in zip(members, views):
        host, number = member.host, state["header"]["member_id"]
        if state["header"]["cluster_id"] != status["header"]["cluster_id"]:
            yield f"{host} is in another cluster than {first}"
        elif own != known:
            yield f"{host} knows other members than {first}"
        elif number not in [entry[0] for entry in own] or number in ids:
            yield f"{host} is not a member by itself"
        elif state.get("leader", "0") == "0" or state["leader"] != status.get("leader"):
            yield f"{host} follows no leader, or another one than {first}"
        elif state.get("errors"):
            yield f"{host} has an alarm"
        ids[number] = host


def hash_of(peer, revision):
    """How far the member is, what it has thrown away, and the hash of all keys and values up to a revision, or up to now for 0, as it has them
    on its disk. Only peers are told. Asked for a revision that was compacted or is still to come, etcd 3.4 hangs up."""
    status, content = peer.once("GET", "/members/hashkv", {"revision": revision})
    if status != 200:
        raise NoAnswer(f"{peer.host} does not answer its peers")
    try:
        answer = json.loads(content)
        return int(answer["header"]["revision"]), int(answer["compact_revision"]), int(answer["hash"])
    except (ValueError, KeyError, TypeError) as error:
        raise NoAnswer(f"{peer.host} does not answer its peers as etcd does") from error


def hash_at(peer, revision):
    while (seen := hash_of(peer, 0))[0] < revision:
        if time.monotonic() > peer.until:
            raise NoAnswer(f"{peer.host} lags behind")
        time.sleep(PAUSE_SECONDS)
    return seen if seen[0] == revision else hash_of(peer, revision)


def differing(peers):
    """Who holds something else than the others, at the revision that the furthest of them has: customers go on."""
    now = in_threads(lambda peer: hash_of(peer, 0), peers, NoAnswer)
    if not any(isinstance(found, NoAnswer) for found in now) and len(set(now)) > 1:
        wanted = max(revision for revision, _, _ in now)
        now = in_threads(lambda peer: hash_at(peer, wanted), peers, NoAnswer)
    silent = [str(found) for found in now if isinstance(found, NoAnswer)]
    if silent:
        return silent
    hashes = [found[1:] for found in now]
    most = max(set(hashes), key=hashes.count)
    if hashes.count(most) == len(hashes):
        return []
    if hashes.count(most) * 2 <= len(hashes):
        return ["the members hold different data"]
    return [f"{peer.host} holds other data than the others" for peer, found in zip(peers, hashes) if found != most]


def settled(members, peers, until):
    """How the members see the cluster, and what is wrong with it when they had the time to agree."""
    while True:
        views = in_threads(look, members, NoAnswer)
        silent = [view for view in views if isinstance(view, NoAnswer)]
        if silent:
            raise silent[0]
        wrong = list(at_odds(members, views)) or differing(peers)
        if not wrong or time.monotonic() > until:
            return views, wrong
        time.sleep(PAUSE_SECONDS)


def describe(spec):
    settle_until = time.monotonic() + SETTLE_SECONDS
    members = [Member(host, spec["port"], settle_until) for host in spec["members"]]
    peers = [Member(host, spec["peer_port"], settle_until) for host in spec["members"]]
    read = in_threads(lambda member: read_member(spec, member), members, NoAnswer)
    silent = [str(found) for found in read if isinstance(found, NoAnswer)]
    if silent:
        raise NoAnswer("; ".join(silent))
    views, wrong = settled(members, peers, settle_until)
    accounts, known = read[0][0], views[0][0]
    for name in spec["logins"]:
        hosts = [member.host for member, (_, _, refused) in zip(members, read) if name in refused]
        wrong += [f"the login {name} does not work on {', '.join(hosts)}"] if hosts else []
    wrong += [f"{member.host} knows other users or roles than {members[0].host}" for member, (own, _, _) in zip(members, read) if own != accounts]
    found = accounts + [(f"member {name or 'that never started'}", data(rest)) for _, name, *rest in known]
    names, room = {entry[0]: entry[1] for entry in known}, {}
    for member, (_, quota, _), (_, state) in zip(members, read, views):
        found.append((f"who answers at {member.host}", data(names.get(state["header"]["member_id"]))))
        found.append((f"quota of {member.host}", data(quota)))
        if quota is not None:
            room[f"the room of {member.host}"] = quota - int(state.get("dbSize", 0))
    if spec["guesses"] and spec["password"] is not None:
        wrong += guessed(spec, members, [name[len("user ") :] for name, _ in accounts if name.startswith("user ")])
    return {"things": digests(found), "room": room, "wrong": wrong}


def answer(spec):
    try:
        return describe(spec)
    except NoAnswer as error:
        sys.exit(str(error))
    except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        sys.exit("an answer was not understood")


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin)), separators=(",", ":")))
