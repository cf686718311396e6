# Who has an account in the cluster, and what each may do; hashed here.
# with checks/etcd.py
python3 - <<'PY'
import hashlib, json, os

from etcd import MEMBERS, ask, fail, login, wait

for member in MEMBERS:
    token = login(member, "root", os.environ["ROOT_PASSWORD"]) if ask(member, "/v3/cluster/member/list", {})[0] else None
    if token:
        break
else:
    fail("the accounts cannot be read")


def get(path, data):
    status, answer = wait(member, path, data, token)
    if status != 200:
        fail("the accounts cannot be read")
    answer.pop("header", None)
    return answer


users, roles = (sorted(get(f"/v3/auth/{kind}/list", {}).get(f"{kind}s", [])) for kind in ("user", "role"))
rows = [[name, get("/v3/auth/user/get", {"name": name})] for name in users] + [[name, get("/v3/auth/role/get", {"role": name})] for name in roles]
print(f"{len(users)} accounts, {len(roles)} roles, {hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:32]}")
PY
