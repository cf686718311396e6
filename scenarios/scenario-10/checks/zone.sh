# What the registrar changes is soon known to both name servers, over UDP and TCP, and to the resolver.
exec python3 - <<'PY'
import os, subprocess, sys, time

sys.path.append("/opt/probe")
from dns_client import addresses_of
from dns_message import AUTHORITATIVE

NAME = f"move-{os.environ['NONCE'][:24]}.depots.fernpost.internal"


def update(*lines):
    order = "server ns1\n" + "\n".join(lines) + "\nsend\n"
    return subprocess.run(["nsupdate", "-t", "8", "-y", "hmac-sha256:registrar:" + os.environ["REGISTRAR"]], input=order, text=True, capture_output=True).returncode == 0


def fail(message):
    update(f"update delete {NAME}")
    print(message)
    sys.exit(1)


def says(server, tcp, address):
    """An authority answers with authority."""
    flags, found = addresses_of(server, NAME, tcp)
    return found == [address] and (server == "dns" or flags & AUTHORITATIVE)


def agreed(address):
    deadline = time.monotonic() + 9
    waiting = [("ns1", False), ("ns2", False), ("ns2", True), ("dns", False)]
    while waiting and time.monotonic() < deadline:
        if says(*waiting[0], address):
            waiting.pop(0)
        else:
            time.sleep(0.3)
    return not waiting


for address in ("192.0.2.17", "192.0.2.71"):
    if not update(f"update delete {NAME} A", f"update add {NAME} 1 A {address}"):
        fail("a change of the registrar was refused")
    if not agreed(address):
        fail("a change of the registrar did not reach everybody who answers for the zone")
if not update(f"update delete {NAME}"):
    fail("a change of the registrar was refused")
print("both name servers follow the registrar's changes")
PY
