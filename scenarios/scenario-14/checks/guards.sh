# Nobody gets in without a name and the right password, at no member; and everybody may do what they could do, and no more.
# with checks/etcd.py
python3 - <<'PY'
import os

from etcd import MEMBERS, b64, fail, login, wait

from concurrent.futures import ThreadPoolExecutor

META, SECRET = {"key": b64("/schaltwerk/meta")}, {"key": b64("/ops/"), "range_end": b64("/ops0")}
GUEST = {"key": b64("/schaltwerk/flags/desk.guest"), "value": b64("{}")}


def wrong(member):
    """What this member lets somebody do who must not, or does not let somebody do who may; nothing when all is well."""
    forbidden = [
        ("lets everybody read", "/v3/kv/range", {**META, "serializable": True}, None),
        ("lets everybody write", "/v3/kv/put", GUEST, None),
        ("lets root in with a wrong password", "/v3/auth/authenticate", {"name": "root", "password": os.environ["NONCE"]}, None),
        ("lets the service in without a password", "/v3/auth/authenticate", {"name": "schaltwerk", "password": ""}, None),
    ]
    for name, password, may_write in (("schaltwerk", os.environ["APP_PASSWORD"], True), ("dashboard", os.environ["DASH_PASSWORD"], False)):
        token = login(member, name, password)
        if not token:
            return f"{name} cannot log in at {member}"
        if wait(member, "/v3/kv/range", {"key": b64("/schaltwerk/flags/account.export")}, token)[0] != 200:
            return f"{name} may not read flags any more"
        forbidden += [
            (f"shows {name} what is not for it", "/v3/kv/range", SECRET, token),
            (f"lets {name} write where it has no business", "/v3/kv/put", {"key": b64("/ops/check/guest"), "value": b64("{}")}, token),
            (f"lets {name} make accounts", "/v3/auth/user/add", {"name": "guest", "password": "guest"}, token),
            *([] if may_write else [(f"lets {name} write", "/v3/kv/put", GUEST, token)]),
        ]
    for what, path, data, token in forbidden:
        status = wait(member, path, data, token)[0]
        if status == 200 and path.endswith("/user/add"):
            wait(member, "/v3/auth/user/delete", {"name": data["name"]}, token)
        if not 300 <= status < 500:
            return f"{member} {what if status == 200 else 'does not answer'}"
    return None


complaints = [complaint for complaint in ThreadPoolExecutor(3).map(wrong, MEMBERS) if complaint]
if complaints:
    fail(complaints[0])
print("logins need their password, and rights are as they were")
PY
