# Previews are kept in the spool while they are valid, and leave it when they have expired. The spool is looked at from
# outside, as the kernel shows it.
python3 - <<'PY'
import http.client, json, os, sys, time
from datetime import datetime

SPOOL = "/hold/app/0"


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, data=None):
    site = http.client.HTTPConnection("web", timeout=6)
    try:
        site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
        answer = site.getresponse()
        return answer.status, json.loads(answer.read(200_000))
    except (OSError, ValueError, http.client.HTTPException):
        fail("the site does not answer")
    finally:
        site.close()


def make(**extra):
    status, preview = ask("POST", "/api/previews", {
        "sender": "Jost Janssen", "recipient": "Katrin Kruse", "address": "Hafenstr. 1, 26506 Norden", "text": "A short one.", **extra})
    if status != 201:
        fail(f"a preview was refused ({status})")
    return preview


def held():
    """The names of all files in the spool."""
    hidden = []
    found = [name for _, _, files in os.walk(SPOOL, onerror=hidden.append) for name in files]
    if any(isinstance(error, PermissionError) for error in hidden):
        fail("the folders of the spool cannot be listed any more")
    return " ".join(found)


def still(previews):
    found = held()
    return sum(preview["preview"] in found for preview in previews)


def overdue():
    """How many previews, of whatever life, should have gone a while ago."""
    count, limit = 0, time.time() - 15
    for folder, _, files in os.walk(SPOOL):
        for name in files if os.path.basename(folder) != "outbox" else []:
            try:
                count += os.lstat(os.path.join(folder, name)).st_mtime < limit
            except OSError:
                continue
    return count


lasting = [make() for _ in range(2)]
if still(lasting) < 2:
    fail("previews are not kept in the spool")
# Where everything is slow, a short life may be over before anybody looks.
for ttl in (1, 1, 1, 5):
    started = time.monotonic()
    brief = [make(ttl_seconds=ttl) for _ in range(2)]
    seen = still(brief)
    if time.monotonic() - started < ttl - 0.1:
        break
else:
    fail("previews take too long")
if seen < 2:
    fail("previews are not kept in the spool")
deadline = time.monotonic() + ttl + 8
while still(brief) > 0:
    if time.monotonic() > deadline:
        fail("previews that have expired stay in the spool")
    time.sleep(0.2)
for preview in lasting:
    status, shown = ask("GET", f"/api/previews/{preview['preview']}")
    if status != 200 or still([preview]) < 1:
        fail("a preview that is still valid has gone")
    if datetime.fromisoformat(shown["expires_at"]).timestamp() < time.time() + 1700:
        fail("previews are valid for a shorter time than they were")
if overdue() > 0:
    time.sleep(2)
    if overdue() > 0:
        fail("previews that have expired stay in the spool")
disk = os.statvfs(SPOOL)
if disk.f_ffree < disk.f_files / 2:
    fail(f"the spool has room for {disk.f_ffree} more files of {disk.f_files}")
print("previews stay in the spool until they expire, and no longer")
PY
