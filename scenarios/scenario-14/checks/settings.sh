# A member's settings are values and no program, and those that nobody had to touch are as they were.
# Standard input: /etc/default/etcd, and whatever else would run at the next start.
cat > settings
exec python3 - <<'PY'
import os, re, sys

MEMBER = os.environ["MEMBER"]
FREE = ("ETCD_INITIAL_CLUSTER", "ETCD_INITIAL_CLUSTER_STATE", "ETCD_INITIAL_CLUSTER_TOKEN", "ETCD_LISTEN_PEER_URLS")
FIXED = {
    "ETCD_NAME": MEMBER,
    "ETCD_DATA_DIR": "/var/lib/etcd/default",
    "ETCD_INITIAL_ADVERTISE_PEER_URLS": f"http://{MEMBER}:2380",
    "ETCD_LISTEN_CLIENT_URLS": "http://0.0.0.0:2379",
    "ETCD_ADVERTISE_CLIENT_URLS": f"http://{MEMBER}:2379",
    "ETCD_HEARTBEAT_INTERVAL": "300",
    "ETCD_ELECTION_TIMEOUT": "3000",
    "ETCD_QUOTA_BACKEND_BYTES": "67108864",
    "ETCD_BCRYPT_COST": "5",
    "ETCD_FORCE_NEW_CLUSTER": "false",
}
SETTING = re.compile(r"""(ETCD_[A-Z_]+)=("[^"`\\$]*"|'[^'`\\$]*'|[^\s"'`\\$;&|<>()#]*)\s*(#.*)?""")


def fail(text):
    print(f"{MEMBER}: {text}")
    sys.exit(1)


found = {}
for line in open("settings", errors="replace"):
    text = re.sub(r"\$\(hostname( -[iIfs])?\)", MEMBER, line.strip())
    if not text or text.startswith("#"):
        continue
    setting = SETTING.fullmatch(text)
    if setting is None:
        fail("the settings of etcd hold more than settings")
    found[setting[1]] = setting[2].strip("\"'")
for name, value in found.items():
    if name not in FREE and value != FIXED.get(name):
        fail(f"{name} is not as it was")
for name in FIXED:
    if name != "ETCD_FORCE_NEW_CLUSTER" and name not in found:
        fail(f"{name} is gone")
print(f"{MEMBER} has its settings")
PY
