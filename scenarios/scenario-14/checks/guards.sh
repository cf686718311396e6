# Nobody gets in without a name and the right password, at no member; and everybody may do what they could do, and no more.
python3 - <<'PY'
import base64, http.client, json, os, sys, time

MEMBERS = ("etcd-1", "etcd-2", "etcd-3")


def fail(text):
    print(text)
    sys.exit(1)


def b64(text):
    return base64.b64encode(text.encode()).decode()


def ask(member, path, data, token=None):
    """Status and answer of one member, as it stands."""
    site = http.client.HTTPConnection(member, 2379, timeout=8)
    try:
        site.request("POST", path, json.dumps(data), {"Content-Type": "application/json", **({"Authorization": token} if token else {})})
        answer = site.getresponse()
        return answer.status, json.loads(answer.read(4_000_000))
    except (OSError, ValueError, http.client.HTTPException) as error:
        return 0, {"error": type(error).__name__}
    finally:
        site.close()


def wait(member, path, data, token=None, seconds=9):
    """The same, for as long as it takes a cluster that has just been started to find a leader."""
    until = time.monotonic() + seconds
    while True:
        status, answer = ask(member, path, data, token)
        if status not in (0, 503, 504) or time.monotonic() > until:
            return status, answer
        time.sleep(0.4)


def login(member, name, password):
    return wait(member, "/v3/auth/authenticate", {"name": name, "password": password})[1].get("token")


def refused(what, member, path, data, token=None):
    status, answer = wait(member, path, data, token)
    if status == 200 or status == 0:
        fail(f"{member} {'does not answer' if status == 0 else what}")


meta, secret = {"key": b64("/schaltwerk/meta")}, {"key": b64("/ops/"), "range_end": b64("/ops0")}
for member in MEMBERS:
    refused("lets everybody read", member, "/v3/kv/range", {**meta, "serializable": True})
    refused("lets everybody write", member, "/v3/kv/put", {"key": b64("/schaltwerk/flags/desk.guest"), "value": b64("{}")})
    refused("lets root in with a wrong password", member, "/v3/auth/authenticate", {"name": "root", "password": os.environ["NONCE"]})
    refused("lets the service in without a password", member, "/v3/auth/authenticate", {"name": "schaltwerk", "password": ""})
    for name, password, may_write in (("schaltwerk", os.environ["APP_PASSWORD"], True), ("dashboard", os.environ["DASH_PASSWORD"], False)):
        token = login(member, name, password)
        if not token:
            fail(f"{name} cannot log in at {member}")
        if wait(member, "/v3/kv/range", {"key": b64("/schaltwerk/flags/account.export")}, token)[0] != 200:
            fail(f"{name} may not read flags any more")
        refused(f"shows {name} what is not for it", member, "/v3/kv/range", secret, token)
        refused(f"lets {name} write where it has no business", member, "/v3/kv/put", {"key": b64("/ops/check/guest"), "value": b64("{}")}, token)
        refused(f"lets {name} make accounts", member, "/v3/auth/user/add", {"name": "guest", "password": "guest"}, token)
        if not may_write:
            refused(f"lets {name} write", member, "/v3/kv/put", {"key": b64("/schaltwerk/flags/desk.guest"), "value": b64("{}")}, token)
print("logins need their password, and rights are as they were")
PY
