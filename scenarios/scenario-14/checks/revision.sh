# How far the cluster has come.
# with checks/etcd.py
python3 - <<'PY'
import os

from etcd import MEMBERS, b64, login, wait

token = login(MEMBERS[0], "root", os.environ["ROOT_PASSWORD"])
print("revision", wait(MEMBERS[0], "/v3/kv/range", {"key": b64("/schaltwerk/meta")}, token)[1]["header"]["revision"])
PY
