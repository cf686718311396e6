# What is refused: the zone to strangers, changes without the right key or in the wrong place, questions about the rest of the world.
exec python3 - <<'PY'
import os, subprocess, sys

NONCE = os.environ["NONCE"][:24]
WRONG = "d3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmc="
TRANSFER, REGISTRAR = "hmac-sha256:transfer:" + os.environ["TRANSFER"], "hmac-sha256:registrar:" + os.environ["REGISTRAR"]
ZONE = "fernpost.internal"
below, beside = f"guard-{NONCE}.depots.{ZONE}", f"guard-{NONCE}.{ZONE}"


def begin(command, text=None):
    child = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if text:
        child.stdin.write(text)
    child.stdin.close()
    return child


def end(child):
    seen = child.stdout.read()
    return seen, child.wait()


def fail(message):
    print(message)
    sys.exit(1)


def change(server, name, *key):
    return server, begin(["nsupdate", "-t", "8", *key], f"server {server}\nzone {ZONE}\nupdate add {name} 1 TXT guard\nsend\n")


fetches = [f"@{server} {ZONE} {kind}".split() for server in ("ns1", "ns2") for kind in ("AXFR", "IXFR=1")]
copies = [
    begin(["dig", "+tcp", "+time=4", "+tries=1", *key, *(part for fetch in fetches for part in fetch)])
    for key in ((), ("-y", f"hmac-sha256:transfer:{WRONG}"), ("-y", REGISTRAR))
]
outside = [(server, begin(["dig", "+time=4", "+tries=2", f"@{server}", f"www-{NONCE}.example.com", "A"])) for server in ("ns1", "ns2")]
changes = [
    change("ns1", below), change("ns2", below), change("ns1", below, "-y", f"hmac-sha256:registrar:{WRONG}"),
    change("ns1", below, "-y", TRANSFER), change("ns2", below, "-y", TRANSFER), change("ns1", beside, "-y", REGISTRAR),
]
if any(f"bastion.{ZONE}" in end(child)[0] for child in copies):
    fail("a name server hands the zone to strangers")
for server, child in outside:
    seen, _ = end(child)
    if "status: REFUSED" not in seen or " ra" in seen.partition("flags:")[2].partition(";")[0]:
        fail(f"{server} takes questions about the rest of the world")
for server, child in changes:
    if end(child)[1] == 0:
        fail(f"{server} takes changes from somebody who may not make them")
print("strangers get nothing and change nothing")
PY
