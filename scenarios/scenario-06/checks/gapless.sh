# The archive from its first day to now: every segment is there, every page is in its place, every record follows the one before.
exec python3 - <<'PY'
import os, struct, subprocess, sys, time

NUMBER, FIRST = os.environ["BEGUN"].split()
ARCHIVE = "/hold/archive/0"
SEGMENT, PAGE, LONG, SHORT = 1 << 20, 8192, 40, 24
BODY = SEGMENT - LONG - (SEGMENT // PAGE - 1) * SHORT
MAGIC, CONTINUED, ANEW = 0xD110, 0x01, 0x08
header, record = struct.Struct("<HHIQI"), struct.Struct("<IIQBB")


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


def content_of(segment):
    with open(f"{ARCHIVE}/{named(segment)}", "rb") as file:
        return file.read(SEGMENT + 1)


def inspect(segment):
    """How much of its begin belongs to a record of the segment before; where a page says that the record before it was given up."""
    content = content_of(segment)
    if len(content) != SEGMENT or struct.unpack_from("<QII", content, 24) != (int(NUMBER), SEGMENT, PAGE):
        fail(f"{named(segment)} in the archive is not a segment of this database's log")
    begins, anew = 0, []
    for page in range(0, SEGMENT, PAGE):
        magic, info, _, address, rest = header.unpack_from(content, page)
        if (magic or address or page == 0) and (magic != MAGIC or address != segment * SEGMENT + page):
            fail(f"{named(segment)} in the archive has a page that does not belong there")
        if page == 0:
            begins = rest if info & CONTINUED else 0
        if info & ANEW:
            anew.append((segment - first) * BODY + (page and page - LONG + SHORT - page // PAGE * SHORT))
    return begins, anew


def body(segment):
    """A segment without its page headers. The last two are remembered."""
    if segment not in bodies:
        bodies.pop(segment - 2, None)
        content = content_of(segment)
        bodies[segment] = b"".join(content[page + (SHORT if page else LONG):page + PAGE] for page in range(0, SEGMENT, PAGE))
    return bodies[segment]


def address_of(place):
    """A place in the bodies, as the log counts it."""
    segment, offset = divmod(place, BODY)
    pages, rest = divmod(offset + LONG - SHORT, PAGE - SHORT)
    return (first + segment) * SEGMENT + pages * PAGE + SHORT + rest


first = int(FIRST[8:16], 16) << 12 | int(FIRST[16:], 16)
last = current() - 1
deadline = time.monotonic() + 12
while not os.path.exists(f"{ARCHIVE}/{named(last)}") and time.monotonic() < deadline:
    time.sleep(0.3)
have = set(os.listdir(ARCHIVE))
missing = [segment for segment in range(first, last + 1) if named(segment) not in have]
if missing:
    fail(f"{len(missing)} segments are missing in the archive, the first is {named(missing[0])}")

looks = [inspect(segment) for segment in range(first, last + 1)]
anew = [place for _, places in looks for place in places]
bodies, before, records = {}, None, 0
place, end = (looks[0][0] + 7 & ~7 if looks else 0), len(looks) * BODY
while place + 24 <= end:
    segment, offset = divmod(place, BODY)
    data = body(first + segment)
    if offset + 24 > BODY:
        data, offset = data[offset:] + body(first + segment + 1)[:24], 0
    total, _, previous, info, manager = record.unpack_from(data, offset)
    if total < 24 or (before is not None and previous != before):
        fail(f"{named(first + segment)} in the archive does not follow what is before it")
    given_up = next((start for start in anew if place < start < place + total), None)
    if given_up is not None:
        place = given_up
        continue
    before, records = address_of(place), records + 1
    if manager == 0 and info & 0xF0 == 0x40:
        place = (segment + 1) * BODY
    else:
        place = place + total + 7 & ~7
if records == 0 and last > first:
    fail("the archive holds no records")
print("the archive has no gap")
PY
