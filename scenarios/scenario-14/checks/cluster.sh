# Three members, all voting, all caught up, one cluster; and the one whose turn it is can lead it and get a write agreed on.
# with checks/etcd.py
python3 - <<'PY'
import http.client, os, time

from etcd import MEMBERS, ask, b64, fail, login, wait

ROOT = os.environ["ROOT_PASSWORD"]
NONCE = os.environ["NONCE"]
until = time.monotonic() + 15


def peers_can_call(member):
    site = http.client.HTTPConnection(member, 2380, timeout=4)
    try:
        site.request("GET", "/members")
        return site.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        site.close()


def seen():
    """How the cluster looks from each member, or what is wrong with it."""
    lists, states = {}, {}
    for member in MEMBERS:
        status, found = ask(member, "/v3/cluster/member/list", {}, token)
        if status != 200:
            return None, f"{member} does not answer"
        lists[member] = found.get("members", [])
        status, states[member] = ask(member, "/v3/maintenance/status", {}, token)
        if status != 200:
            return None, f"{member} does not say how it is"
        if not peers_can_call(member):
            return None, f"{member} is not there for its peers"
        if len(lists[member]) != 3 or sorted(entry.get("name", "") for entry in lists[member]) != list(MEMBERS):
            return None, f"{member} knows {len(lists[member])} members: {', '.join(entry.get('name') or 'one that never started' for entry in lists[member])}"
        for entry in lists[member]:
            if entry.get("peerURLs") != [f"http://{entry['name']}:2380"] or entry.get("clientURLs") != [f"http://{entry['name']}:2379"]:
                return None, f"{entry['name']} is known under another address"
            if entry.get("isLearner"):
                return None, f"{entry['name']} has no vote"
    ids = {entry["name"]: entry["ID"] for entry in lists[MEMBERS[0]]}
    for member, state in states.items():
        if {entry["name"]: entry["ID"] for entry in lists[member]} != ids or state["header"]["member_id"] != ids[member]:
            return None, f"{member} is somebody else"
        if state["header"]["cluster_id"] != states[MEMBERS[0]]["header"]["cluster_id"]:
            return None, f"{member} is in another cluster"
        if state.get("leader", "0") not in ids.values() or state["leader"] != states[MEMBERS[0]].get("leader"):
            return None, f"{member} follows no leader, or another one"
        if state.get("errors"):
            return None, f"{member} has an alarm"
    applied = [int(state.get("raftAppliedIndex", 0)) for state in states.values()]
    if min(applied) < max(applied) - 200:
        return None, "a member is far behind"
    return (ids, states[MEMBERS[0]]["leader"]), ""


def settled(wanted=None):
    """The members and their leader, when all agree on it."""
    while True:
        found, wrong = seen()
        if found and wanted in (None, found[1]):
            return found
        if time.monotonic() > until:
            fail(wrong or "a member cannot become the leader")
        time.sleep(0.3)


token = None
for member in MEMBERS:
    if not token and ask(member, "/v3/cluster/member/list", {})[0] != 0:
        token = login(member, "root", ROOT)
if not token:
    fail("the cluster lets nobody in: it has no leader, or other accounts")
ids, leader = settled()
names = {number: name for name, number in ids.items()}
following = MEMBERS[(MEMBERS.index(names[leader]) + 1) % 3]
for _ in range(3):
    status, answer = ask(names[leader], "/v3/maintenance/transfer-leadership", {"targetID": ids[following]}, token)
    if status == 200 or time.monotonic() > until:
        break
    leader = settled()[1]
    if names[leader] == following:
        break
settled(ids[following])
key = b64(f"/ops/check/{NONCE}")
if wait(following, "/v3/kv/put", {"key": key, "value": b64(NONCE)}, token)[0] != 200:
    fail(f"nothing can be written while {following} leads")
ask(following, "/v3/kv/deleterange", {"key": key}, token)
print("three members vote in one cluster, and the next can lead it")
PY
