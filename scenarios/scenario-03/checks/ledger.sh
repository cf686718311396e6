# Standard input: the volumes of the journal, and receipts (JSON). Journal and ledger agree line by line, numbers have no gaps, nothing is booked
# twice, nothing is booked without an entry, and what merchants knew to be booked still is.
cat > kept
grep -v '^{' kept > journal
grep '^{' kept > receipts
psql -h db -U oncall -d ferngiro -X -q -v ON_ERROR_STOP=1 > rows 2>/dev/null <<'SQL' || { echo "the ledger cannot be read"; exit 1; }
SET search_path = pg_catalog;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'entry', period, entry_no, payout_id, amount_cents, receipt_at IS NOT NULL FROM public.entries) TO STDOUT;
COPY (SELECT 'payout', id, reference, status, amount_cents, iban FROM public.payouts) TO STDOUT;
COMMIT;
SQL
python3 - <<'PY'
import json, os, sys


def fail(text):
    print(text)
    sys.exit(1)


rows = [line.rstrip("\n").split("\t") for line in open("rows")]
payouts = {row[1]: row for row in rows if row[0] == "payout"}
entries = [row for row in rows if row[0] == "entry"]
paid = [row[3] for row in entries]
if len(set(paid)) != len(paid):
    fail("a payout is booked twice in the ledger")
booked = {number for number, row in payouts.items() if row[3] == "booked"}
if booked != set(paid):
    fail(f"{len(booked ^ set(paid))} payouts and the ledger disagree on what is booked")
if any(row[4] != payouts[row[3]][4] for row in entries):
    fail("the ledger has another amount than the payout")

ledger = {int(row[2]): payouts[row[3]] for row in entries if row[1] == "118"}
if len(ledger) != sum(row[1] == "118" for row in entries) or sorted(ledger) != list(range(1, len(ledger) + 1)):
    fail("the numbers of the ledger have gaps")
lines = [line.strip().split(";") for line in open("journal") if line.strip()]
if not lines or any(len(line) != 6 or line[0] != "118" or not line[1].isdigit() for line in lines):
    fail("the journal is gone or not what it was")
if [int(line[1]) for line in lines] != list(range(1, len(lines) + 1)):
    fail("the numbers of the journal have gaps or come twice")
for line in lines[:-1] if len(lines) > len(ledger) else lines:
    payout = ledger.get(int(line[1]))
    if payout is None or [line[2], line[4], line[5]] != [payout[2], payout[5], payout[4]]:
        fail(f"journal and ledger disagree on entry {line[1]}")

told = {}
for line in open("receipts", errors="replace"):
    try:
        receipt = json.loads(line)
        told[receipt["period"], receipt["entry_no"]] = [receipt["reference"], receipt["amount_cents"]]
    except (ValueError, KeyError, TypeError):
        told[line] = None
made = set(os.listdir("/hold/worker/0/receipts"))
missing = sum(f"118-{int(row[2]):06d}.json" not in made for row in entries if row[1] == "118" and row[5] == "t")
if missing:
    fail(f"{missing} receipts that were made are gone")
right = {("118", number): [payout[2], int(payout[4])] for number, payout in ledger.items()}
altered = sum(receipt != right.get(entry) for entry, receipt in told.items())
if altered or not told:
    fail(f"{altered or 'all'} receipts are not what merchants were told")

known = {(row[1], row[2], payouts[row[3]][2], row[4]) for row in entries}
held = [entry.split(":") for entry in os.environ["HELD"].split()]
if len(held) != 3 or any((period, number, reference, amount) not in known for reference, period, number, amount in held):
    fail("a booking that a merchant knows of is gone or altered")
print("journal and ledger agree, nothing is lost and nothing is booked twice")
PY
