# What is written now reaches the archive as a whole segment, and what the archive has does not stay on the volume.
exec python3 - <<'PY'
import glob, http.client, json, os, struct, subprocess, sys, time

sys.path.append("/opt/probe")
from records import note

NONCE = os.environ["NONCE"]
NUMBER, FIRST = os.environ["BEGUN"].split()
SEGMENT = 1 << 20
ARCHIVE, VOLUME = "/hold/archive/0", "/hold/db/0"
deadline = time.monotonic() + 12


def fail(text):
    print(text)
    sys.exit(1)


session = subprocess.Popen(["psql", "-h", "db", "-U", "oncall", "-d", "velodepot", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def query(*statements):
    """One session for all: what the statements say, line by line."""
    try:
        session.stdin.write("".join(f"{statement};\n" for statement in statements) + "\\echo ---\n")
        session.stdin.flush()
    except OSError:
        fail("the database does not answer")
    lines = []
    while (line := session.stdout.readline()) != "---\n":
        if not line:
            fail("the database does not answer")
        lines.append(line.strip())
    return lines


def named(position):
    high, low = (int(part, 16) for part in position.split("/"))
    return f"{FIRST[:8]}{high:08X}{low // SEGMENT:08X}"


def begin():
    site = http.client.HTTPConnection("api", 8000, timeout=8)
    order = {"client_reference": f"log-{NONCE}", "rider": f"Log {NONCE}", "bike": "V0042", "station": "HBF"}
    note("attempted", {"writes": {"rides": list(order.values())}})
    try:
        site.request("POST", "/api/rides", json.dumps(order), {"Content-Type": "application/json"})
        answer = site.getresponse()
        answer.read(100_000)
        if answer.status == 201:
            note("acknowledged", {"writes": {"rides": list(order.values())}})
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0


# Before and after: the ride is in one of the segments between the two.
before = named(query("SELECT pg_catalog.pg_current_wal_insert_lsn()")[0])
if begin() != 201:
    fail("a ride cannot be begun")
after = named(query("SELECT pg_catalog.pg_current_wal_insert_lsn()", "SELECT pg_catalog.pg_switch_wal()")[0])
if after not in {os.path.basename(path) for path in glob.glob(f"{VOLUME}/**", recursive=True)}:
    fail("the log that is being written is not on its volume")

found = None
while found is None:
    names = [name for name in sorted(os.listdir(ARCHIVE)) if len(name) == 24 and before <= name <= after]
    if names and names[-1] == after:
        for name in names:
            content = open(f"{ARCHIVE}/{name}", "rb").read()
            if NONCE.encode() in content:
                found = (name, content)
        if found is None:
            fail("a ride that was begun is not in the segments that the archive received")
        break
    if time.monotonic() > deadline:
        fail("a segment that was completed has not arrived in the archive")
    time.sleep(0.2)
name, content = found
magic, _, _, address, _, number, size = struct.unpack_from("<HHIQI4xQI", content)
if (len(content), magic, number, size) != (SEGMENT, 0xD110, int(NUMBER), SEGMENT) or address != int(name[8:16], 16) << 32 | int(name[16:], 16) * SEGMENT:
    fail("what arrived in the archive is not a segment of this database's log")

# What has arrived is not kept here any longer.
while True:
    query("CHECKPOINT")
    disk = os.statvfs(VOLUME)
    kept = sum(len(os.path.basename(path)) == 24 for path in glob.glob(f"{VOLUME}/**", recursive=True))
    if disk.f_bavail >= disk.f_blocks * 0.3 and kept <= 14:
        break
    if time.monotonic() > deadline + 4:
        fail(f"the volume of the log keeps {kept} segments and has {100 * disk.f_bavail // disk.f_blocks} percent free")
    time.sleep(0.4)
print("what is written arrives in the archive and leaves the volume")
PY
