# A customer's own transaction: book an entry, order an export, fetch it. It holds every row that the database has, the new one
# among them.
python3 - <<'PY'
import csv, hashlib, http.client, io, json, os, subprocess, sys, time

sys.path.append("/opt/probe")
from records import note

nonce, until = os.environ["NONCE"], time.monotonic() + 14
slug, token = os.environ["CUSTOMER"], os.environ["TOKEN"]
COLUMNS = ["id", "booked_on", "voucher", "account", "contra", "amount_cents", "text", "entered_at"]
site = http.client.HTTPConnection("web", timeout=12)


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, data=None):
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "User-Agent": "ledger-client/3.2"}
        site.request(method, path, None if data is None else json.dumps(data), headers)
        answer = site.getresponse()
        return answer.status, answer.read(32_000_000)
    except (OSError, http.client.HTTPException):
        fail("the site does not answer")


def parsed(answer, status, complaint):
    try:
        found = json.loads(answer[1])
        if answer[0] == status and isinstance(found, dict):
            return found
    except ValueError:
        pass
    fail(f"{complaint} ({answer[0]})")


def journal():
    query = (f"COPY (SELECT e.id, e.booked_on, e.voucher, e.account, e.contra, e.amount_cents, e.text, e.entered_at "
             f"FROM public.entries e JOIN public.customers c ON c.id = e.customer_id WHERE c.slug = '{slug}') TO STDOUT (FORMAT csv)")
    found = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "saltmarsh", "-X", "-q", "-c", "SET TimeZone = 'UTC'", "-c", query],
                           capture_output=True, text=True)
    if found.returncode:
        fail("the journal cannot be read from the database")
    return {row[0]: row for row in csv.reader(io.StringIO(found.stdout))}


def same(exported, stored):
    """Times are written in more than one way."""
    return exported[:7] == stored[:7] and exported[7].startswith(stored[7].removesuffix("+00"))


entry = {"voucher": f"N-{nonce}", "account": 4400, "contra": 1200, "amount_cents": 4711, "text": f"Audit {nonce}, {slug}"}
row = {"writes": {"entries": [entry["voucher"], slug, 4400, 1200, 4711, entry["text"], ""]}}
note("attempted", row)
made = parsed(ask("POST", "/api/entries", entry), 201, "an entry was refused")
note("acknowledged", row)
export = parsed(ask("POST", "/api/exports", {"client_reference": f"audit-{nonce}"}), 202, "an export was refused")
path = f"/api/exports/{export.get('reference')}"
while export.get("status") in ("queued", "running"):
    if time.monotonic() > until:
        fail("an export does not come to an end")
    time.sleep(0.3)
    export = parsed(ask("GET", path), 200, "an export cannot be looked at")
if export.get("status") != "complete":
    fail(f"an export ended {export.get('status')} after {export.get('rows_written')} of {export.get('rows_expected')} rows")
status, content = ask("GET", path + "/file")
if status != 200 or hashlib.sha256(content).hexdigest() != export.get("sha256"):
    fail("the file of an export is not what was promised")
try:
    lines = list(csv.reader(io.StringIO(content.decode())))
    ids = [int(line[0]) for line in lines[1:]]
except (ValueError, IndexError):
    fail("the file of an export cannot be read")
if not ids or lines[0] != COLUMNS or any(len(line) != len(COLUMNS) for line in lines):
    fail("the file of an export has other columns")
# What others booked after the export began is not in it.
stored = {number: row for number, row in journal().items() if int(number) <= ids[-1]}
if ids != sorted(set(ids)) or made.get("id") not in ids or len(ids) != len(stored) or export.get("rows_written") != len(ids):
    fail(f"the file of an export has {len(ids)} rows, the journal {len(stored)}")
if not all(line[0] in stored and same(line, stored[line[0]]) for line in lines[1:]):
    fail("the file of an export differs from the journal")
if stored[str(made["id"])][2:7] != [entry["voucher"], "4400", "1200", "4711", entry["text"]]:
    fail("an entry is not in the journal as it was booked")
print(f"an export was made of {len(ids)} rows")
PY
