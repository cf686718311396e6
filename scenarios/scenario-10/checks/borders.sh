# What is refused: the zone to strangers, changes without the right key or in the wrong place, questions about the rest of the world.
exec python3 - <<'PY'
import os, subprocess, sys

NONCE, TRANSFER, REGISTRAR = os.environ["NONCE"][:24], os.environ["TRANSFER"], os.environ["REGISTRAR"]
WRONG = "d3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmc="


def fail(message):
    print(message)
    sys.exit(1)


def dig(*arguments):
    return subprocess.run(["dig", "+time=4", "+tries=1", *arguments], text=True, capture_output=True).stdout


def accepted(server, name, *key):
    order = f"server {server}\nzone fernpost.internal\nupdate add {name} 1 TXT guard\nsend\n"
    return subprocess.run(["nsupdate", "-t", "6", *key], input=order, text=True, capture_output=True).returncode == 0


for server in ("ns1", "ns2"):
    for kind in ("AXFR", "IXFR=1"):
        for key in ((), ("-y", f"hmac-sha256:transfer:{WRONG}"), ("-y", f"hmac-sha256:registrar:{REGISTRAR}")):
            if "bastion.fernpost.internal" in dig("+tcp", *key, f"@{server}", "fernpost.internal", kind):
                fail(f"{server} hands the zone to strangers")
    seen = dig(f"@{server}", f"www-{NONCE}.example.com", "A")
    if "status: REFUSED" not in seen or " ra" in seen.partition("flags:")[2].partition(";")[0]:
        fail(f"{server} takes questions about the rest of the world")

below, beside = f"guard-{NONCE}.depots.fernpost.internal", f"guard-{NONCE}.fernpost.internal"
for server, name, *key in (
    ("ns1", below), ("ns2", below), ("ns1", below, "-y", f"hmac-sha256:registrar:{WRONG}"), ("ns1", below, "-y", f"hmac-sha256:transfer:{TRANSFER}"),
    ("ns1", beside, "-y", f"hmac-sha256:registrar:{REGISTRAR}"), ("ns2", below, "-y", f"hmac-sha256:transfer:{TRANSFER}"),
):
    if accepted(server, name, *key):
        fail(f"{server} takes changes from somebody who may not make them")
print("strangers get nothing and change nothing")
PY
