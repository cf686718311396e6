# Both name servers hold the same zone, and what the registrar changes is soon known to both, and to the resolver.
exec python3 - <<'PY'
import os, socket, struct, subprocess, sys, time

NONCE = os.environ["NONCE"][:24]
NAME = f"move-{NONCE}.depots.fernpost.internal"


def ask(server, name, tcp=False):
    """What a server says about the address of a name: (its flags, the addresses); nothing when it does not say."""
    number = os.urandom(2)
    query = number + struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0\0\1\0\1"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM) as link:
            link.settimeout(3)
            link.connect((server, 53))
            link.sendall(struct.pack(">H", len(query)) * tcp + query)
            answer = link.recv(4096)[2 * tcp:]
        if answer[:2] != number:
            return 0, []
        at, found = len(query), []
        for _ in range(struct.unpack(">H", answer[6:8])[0]):
            while answer[at] and answer[at] < 192:
                at += answer[at] + 1
            at += 1 if not answer[at] else 2
            kind, _, _, size = struct.unpack(">HHIH", answer[at:at + 10])
            at += 10 + size
            if kind == 1:
                found.append(socket.inet_ntoa(answer[at - 4:at]))
        return struct.unpack(">H", answer[2:4])[0], found
    except (OSError, IndexError, struct.error):
        return 0, []


def update(*lines):
    order = "server ns1\n" + "\n".join(lines) + "\nsend\n"
    return subprocess.run(["nsupdate", "-t", "8", "-y", "hmac-sha256:registrar:" + os.environ["REGISTRAR"]], input=order, text=True, capture_output=True).returncode == 0


def fail(message):
    update(f"update delete {NAME}")
    print(message)
    sys.exit(1)


def says(server, tcp, address):
    """An authority answers with authority."""
    flags, found = ask(server, NAME, tcp)
    return found == [address] and (server == "dns" or flags & 0x0400)


def agreed(address):
    deadline = time.monotonic() + 9
    waiting = [("ns1", False), ("ns2", False), ("ns2", True), ("dns", False)]
    while waiting and time.monotonic() < deadline:
        if says(*waiting[0], address):
            waiting.pop(0)
        else:
            time.sleep(0.3)
    return waiting[0][0] if waiting else None


def transfers():
    """Every record of each server, serial included."""
    command = ["dig", "+noall", "+answer", "+time=4", "+tries=1", "-y", "hmac-sha256:transfer:" + os.environ["TRANSFER"]]
    running = [subprocess.Popen([*command, server, "fernpost.internal", "AXFR"], text=True, stdout=subprocess.PIPE) for server in ("@ns1", "@ns2")]
    for done in [child.communicate()[0] for child in running]:
        lines = sorted({" ".join(line.split()) for line in done.splitlines() if line and not line.startswith(";")})
        yield lines if any(" SOA " in line for line in lines) else None


for address in ("192.0.2.17", "192.0.2.71"):
    if not update(f"update delete {NAME} A", f"update add {NAME} 1 A {address}"):
        fail("a change of the registrar was refused")
    if server := agreed(address):
        fail(f"a change of the registrar did not reach {server}")
if not update(f"update delete {NAME}"):
    fail("a change of the registrar was refused")

deadline = time.monotonic() + 9
while True:
    first, second = transfers()
    if first is not None and first == second:
        break
    if time.monotonic() > deadline:
        fail("the two name servers hold different zones" if first and second else "a zone cannot be transferred with its key")
    time.sleep(0.4)
print("both name servers hold the same zone, and follow changes")
PY
