# The archive from its first day to now: every segment is there, is one of this database's log, and is as it was when it was handed over;
# and PostgreSQL's own reader goes through all of them, record by record with its checksum.
exec python3 - <<'PY'
import hashlib, os, re, struct, subprocess, sys, time

NUMBER, FIRST = os.environ["BEGUN"].split()
ARCHIVE, NOTED = "/hold/archive/0", "/tmp/segments.log"
SEGMENT, PAGE = 1 << 20, 8192


def fail(text):
    print(text)
    sys.exit(1)


def current():
    asked = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "velodepot", "-X", "-A", "-t", "-c", "SELECT pg_catalog.pg_current_wal_lsn()"],
                           capture_output=True, text=True)
    if asked.returncode:
        fail("the database does not answer")
    high, low = (int(part, 16) for part in asked.stdout.strip().split("/"))
    return (high << 32 | low) // SEGMENT


def named(segment):
    return f"{FIRST[:8]}{segment >> 12:08X}{segment & 0xFFF:08X}"


first = int(FIRST[8:16], 16) << 12 | int(FIRST[16:], 16)
last = current() - 1
deadline = time.monotonic() + 12
while not os.path.exists(f"{ARCHIVE}/{named(last)}") and time.monotonic() < deadline:
    time.sleep(0.3)
have = set(os.listdir(ARCHIVE))
foreign = sorted(name for name in have if not re.fullmatch(r"[0-9A-F]{24}(\.partial)?|lost\+found", name))
if foreign:
    fail(f"{len(foreign)} files in the archive are no segments of a log, the first is {foreign[0][:80]!r}")
missing = [segment for segment in range(first, last + 1) if named(segment) not in have]
if missing:
    fail(f"{len(missing)} segments are missing in the archive, the first is {named(missing[0])}")

handed_over = dict(line.split() for line in open(NOTED)) if os.path.exists(NOTED) else {}
for segment in range(first, last + 1):
    name = named(segment)
    with open(f"{ARCHIVE}/{name}", "rb") as file:
        content = file.read(SEGMENT + 1)
    if len(content) != SEGMENT or struct.unpack_from("<QII", content, 24) != (int(NUMBER), SEGMENT, PAGE):
        fail(f"{name} in the archive is not a segment of this database's log")
    if handed_over.get(name) not in (None, hashlib.sha256(content).hexdigest()):
        fail(f"{name} in the archive is not as it was written")
if last >= first:
    replay = subprocess.run(["pg_waldump", "--quiet", "--path", ARCHIVE, named(first), named(last)], capture_output=True)
    if replay.returncode:
        fail("the archive cannot be replayed from its first segment to its last")
print("the archive has no gap, and can be replayed")
PY
