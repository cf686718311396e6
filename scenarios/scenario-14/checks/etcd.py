"""The members of the cluster, asked one by one."""

import base64, http.client, json, sys, time

MEMBERS = ("etcd-1", "etcd-2", "etcd-3")
connections = {}


def fail(text):
    print(text)
    sys.exit(1)


def b64(text):
    return base64.b64encode(text.encode()).decode()


def ask(member, path, data, token=None):
    """Status and answer of one member, as it stands."""
    site = connections.setdefault(member, http.client.HTTPConnection(member, 2379, timeout=4))
    try:
        site.request("POST", path, json.dumps(data), {"Content-Type": "application/json", **({"Authorization": token} if token else {})})
        answer = site.getresponse()
        return answer.status, json.loads(answer.read(4_000_000))
    except (OSError, ValueError, http.client.HTTPException) as error:
        site.close()
        return 0, {"error": type(error).__name__}


def wait(member, path, data, token=None, seconds=10):
    """The same, for as long as it takes a cluster that has just been started to find a leader."""
    until = time.monotonic() + seconds
    while True:
        status, answer = ask(member, path, data, token)
        if 0 < status < 500 or time.monotonic() > until:
            return status, answer
        time.sleep(0.4)


def login(member, name, password):
    """A token; none when the password is wrong, or nobody leads."""
    for _ in range(4):
        status, answer = wait(member, "/v3/auth/authenticate", {"name": name, "password": password})
        if "token" in answer or not 300 <= status < 500 or "authentication failed" in answer.get("error", "") or "not enabled" in answer.get("error", ""):
            break
        time.sleep(0.4)
    return answer.get("token")
