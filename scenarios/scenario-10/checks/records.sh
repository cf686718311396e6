# Every record that was in the zone, as the primary holds it, and no others but depots. What is registered and taken away all day
# does not count.
exec python3 - <<'PY'
import os, subprocess, sys

seen = subprocess.run(["dig", "+noall", "+answer", "+time=5", "+tries=2", "-y", "hmac-sha256:transfer:" + os.environ["TRANSFER"], "@ns1", "fernpost.internal", "AXFR"], text=True, capture_output=True).stdout
OURS = ("pop-", "move-", "guard-", "_registrar.")
found = {}
for line in seen.splitlines():
    parts = line.split(None, 4)
    if len(parts) < 5 or line.startswith((";", *OURS)):
        continue
    name, seconds, _, kind, data = parts
    words = data.split()
    if kind == "SOA":
        words[2] = "serial"
    if not name.endswith(".depots.fernpost.internal."):
        words.append(f"for {seconds} s")
    found.setdefault(f"{name} {kind}", set()).add(" ".join(words))
records = {key: ", ".join(sorted(values)) for key, values in found.items()}
if not records:
    print("the zone cannot be read")
    sys.exit(1)
if "BASELINE" not in os.environ:
    print("; ".join(f"{key} = {value}" for key, value in sorted(records.items())))
    sys.exit(0)
before = dict(entry.split(" = ", 1) for entry in os.environ["BASELINE"].strip().split("; "))
lost = [key for key, value in before.items() if records.get(key) != value]
if len(before) < 25 or lost:
    print(f"{len(lost)} records of the zone are gone or altered")
    sys.exit(1)
strangers = [key for key in records if key not in before and ("*" in key or ".depots." not in key)]
if strangers:
    print(f"the zone has a record that it did not have: {strangers[0][:80]}")
    sys.exit(1)
print(f"all {len(before)} sets of records are there")
PY
