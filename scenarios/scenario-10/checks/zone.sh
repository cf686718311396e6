# Both name servers hold the same zone, and what the registrar changes is soon known to both, and to the resolver.
exec python3 - <<'PY'
import os, subprocess, sys, time

NONCE = os.environ["NONCE"][:24]
NAME = f"move-{NONCE}.depots.fernpost.internal"


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, capture_output=True).stdout


def update(*lines):
    order = "server ns1\n" + "\n".join(lines) + "\nsend\n"
    return subprocess.run(["nsupdate", "-t", "8", "-y", "hmac-sha256:registrar:" + os.environ["REGISTRAR"]], input=order, text=True, capture_output=True).returncode == 0


def fail(message):
    update(f"update delete {NAME}")
    print(message)
    sys.exit(1)


def says(server, *options):
    """The address that a server has for the name; an authority answers with authority."""
    seen = run("dig", "+noall", "+comments", "+answer", "+time=2", "+tries=1", *options, f"@{server}", NAME, "A")
    if server != "dns" and "NOERROR" in seen and "flags: qr aa" not in seen:
        return "hearsay"
    return " ".join(line.split()[4] for line in seen.splitlines() if not line.startswith(";") and line.split()[3:4] == ["A"])


def agreed(address):
    deadline = time.monotonic() + 9
    waiting = [("ns1",), ("ns2",), ("ns2", "+tcp"), ("dns",)]
    while waiting and time.monotonic() < deadline:
        if says(*waiting[0]) == address:
            waiting.pop(0)
        else:
            time.sleep(0.3)
    return waiting[0][0] if waiting else None


def transfer(server):
    """Every record, serial included."""
    seen = run("dig", "+noall", "+answer", "+time=4", "+tries=1", "-y", "hmac-sha256:transfer:" + os.environ["TRANSFER"], f"@{server}", "fernpost.internal", "AXFR")
    lines = sorted({" ".join(line.split()) for line in seen.splitlines() if line and not line.startswith(";")})
    return lines if any(" SOA " in line for line in lines) else None


for address in ("192.0.2.17", "192.0.2.71"):
    if not update(f"update delete {NAME} A", f"update add {NAME} 1 A {address}"):
        fail("a change of the registrar was refused")
    if server := agreed(address):
        fail(f"a change of the registrar did not reach {server}")
if not update(f"update delete {NAME}"):
    fail("a change of the registrar was refused")

deadline = time.monotonic() + 9
while True:
    first, second = transfer("ns1"), transfer("ns2")
    if first is not None and first == second:
        break
    if time.monotonic() > deadline:
        fail("the two name servers hold different zones" if first and second else "a zone cannot be transferred with its key")
    time.sleep(0.4)
print("both name servers hold the same zone, and follow changes")
PY
