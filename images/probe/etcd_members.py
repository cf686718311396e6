"""Whether the members of an etcd cluster see the same cluster, and hold the same: one leader, the same members, no alarm, and one hash of all
keys and values at one revision (HashKV), as each has them on its disk."""

import json
import time

from etcd_gateway import failed
from store_common import Late, NoAnswer, in_threads, joined

PAUSE_SECONDS = 0.2
# Of members that agree on everything else: a compaction may be on its way.
MOST_LOOKS = 5


def data(value):
    return json.dumps(value, sort_keys=True).encode()


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
        ids[number] = host


def hash_of(peer, revision):
    """How far the member is, what it has thrown away, and the hash of all keys and values up to a revision, or up to now for 0, as it has them
    on its disk. Only peers are told. Asked for a revision that was compacted or is still to come, etcd 3.4 hangs up."""
    status, content = peer.once("GET", "/members/hashkv", {"revision": revision})
    if status != 200:
        raise failed(status, f"{peer.host} does not answer its peers")
    try:
        answer = json.loads(content)
        return int(answer["header"]["revision"]), int(answer["compact_revision"]), int(answer["hash"])
    except (ValueError, KeyError, TypeError) as error:
        raise NoAnswer(f"{peer.host} does not answer its peers as etcd does") from error


def hash_at(peer, revision):
    while (seen := hash_of(peer, 0))[0] < revision:
        if time.monotonic() > peer.until:
            raise Late(f"{peer.host} lags behind")
        time.sleep(PAUSE_SECONDS)
    return seen if seen[0] == revision else hash_of(peer, revision)


def differing(peers):
    """Who holds something else than the others, at the revision that the furthest of them has: customers go on. Raises NoAnswer."""
    now = in_threads(lambda peer: hash_of(peer, 0), peers, NoAnswer)
    if not any(isinstance(found, NoAnswer) for found in now) and len(set(now)) > 1:
        wanted = max(revision for revision, _, _ in now)
        now = in_threads(lambda peer: hash_at(peer, wanted), peers, NoAnswer)
    silent = [found for found in now if isinstance(found, NoAnswer)]
    if silent:
        raise joined(silent)
    hashes = [found[1:] for found in now]
    most = max(set(hashes), key=hashes.count)
    if hashes.count(most) == len(hashes):
        return []
    if hashes.count(most) * 2 <= len(hashes):
        return ["the members hold different data"]
    return [f"{peer.host} holds other data than the others" for peer, found in zip(peers, hashes) if found != most]


def settled(members, peers, until):
    """How the members see the cluster, and what is wrong with it when they had the time to find a leader. Raises NoAnswer."""
    looks = 0
    while True:
        views = in_threads(look, members, NoAnswer)
        silent = [view for view in views if isinstance(view, NoAnswer)]
        if silent:
            raise joined(silent)
        astray, failure = list(at_odds(members, views)), None
        try:
            wrong = astray or differing(peers)
        except NoAnswer as error:
            wrong, failure = [], error
        looks += not astray
        if not (wrong or failure) or looks == MOST_LOOKS or time.monotonic() > until:
            if failure:
                raise failure
            alarms = [f"{member.host} has an alarm" for member, (_, state) in zip(members, views) if state.get("errors")]
            return views, wrong + alarms
        time.sleep(PAUSE_SECONDS)
