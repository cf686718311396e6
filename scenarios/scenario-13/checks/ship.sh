# A customer's own transaction, through all three programs: parcels are ordered, get their labels, and leave in vans; and what
# was ordered before has left too. Rows are judged here: whoever is the database's superuser can make its functions say anything.
python3 - <<'PY'
import http.client, json, os, subprocess, sys, time

sys.path.append("/opt/probe")
from records import note

nonce, dpi, van = os.environ["NONCE"], int(os.environ["DPI"].split()[0]), int(os.environ["VAN"].split()[0])
deadline = time.monotonic() + 15


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, data=None):
    """A site that has just been started needs a moment."""
    while True:
        site = http.client.HTTPConnection("web", timeout=6)
        try:
            site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
            answer = site.getresponse()
            status, content = answer.status, answer.read(400_000)
        except (OSError, http.client.HTTPException):
            status, content = 0, b""
        finally:
            site.close()
        if status not in (0, 502, 503, 504) or time.monotonic() > deadline:
            return status, content
        time.sleep(0.3)


def parsed(answer, status, complaint):
    if answer[0] != status:
        fail(f"{complaint} ({answer[0]})")
    try:
        return json.loads(answer[1])
    except ValueError:
        fail(complaint)


def rows(query):
    command = ["psql", "-h", "db", "-U", "oncall", "-d", "nordkai", "-X", "-q", "-A", "-t", "-F", "\t", "-c", query]
    return [line.split("\t") for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]


orders = [{"client_reference": f"desk-{nonce}-{n}", "depot": "HUS", "recipient": f"Desk {nonce} {n}", "address": "Am Binnenhafen 1\n25813 Husum",
           "grams": 400 + n} for n in range(van + 6)]
for order in orders:
    note("attempted", {"writes": {"shipments": list(order.values()), "labels": [order["client_reference"], dpi], "loaded": [order["client_reference"], "once"]}})
shipments = parsed(ask("POST", "/api/shipments/batch", {"items": orders}), 201, "an order was refused").get("items", [])
if [entry.get("recipient") for entry in shipments] != [entry["recipient"] for entry in orders]:
    fail("an order was not taken as it was given")
again = parsed(ask("POST", "/api/shipments", orders[0]), 200, "an order that was sent twice was not recognised")
if again.get("shipment") != shipments[0]["shipment"]:
    fail("an order that was sent twice was not recognised")
if ask("POST", "/api/shipments", {**orders[0], "client_reference": f"none-{nonce}", "depot": "XXX"})[0] != 404:
    fail("an order for no depot was taken")

while True:
    found = parsed(ask("GET", f"/api/shipments/{shipments[-1]['shipment']}"), 200, "a shipment cannot be looked at")
    if found.get("status") == "dispatched":
        break
    if time.monotonic() > deadline:
        fail("a parcel gets no label" if found.get("status") == "ordered" else "a parcel has a label and waits for a van")
    time.sleep(0.3)

width, height = round(100 * dpi / 25.4), round(150 * dpi / 25.4)
stored = rows(f"""SELECT s.number, s.recipient, s.status, l.dpi, replace(l.zpl, E'\\n', ' '), 'M' || m.manifest_id FROM public.shipments s
    LEFT JOIN public.labels l ON l.shipment_id = s.id LEFT JOIN public.manifest_lines m ON m.shipment_id = s.id
    WHERE s.client_reference LIKE 'desk-{nonce}-%' ORDER BY s.grams""")
if [row[:3] for row in stored] != [[entry["shipment"], entry["recipient"], "dispatched"] for entry in shipments]:
    fail("parcels are not in the database as they left")
for number, recipient, _, resolution, zpl, _ in stored:
    if f"^FD{number}^FS" not in zpl or f"^FD{recipient}^FS" not in zpl or not zpl.startswith("^XA") or not zpl.endswith("^XZ"):
        fail("a label does not show its parcel")
    if resolution != str(dpi) or f"^PW{width}^LL{height}" not in zpl:
        fail(f"labels are made for printers of {resolution} dpi")
status, shown = ask("GET", f"/api/shipments/{stored[0][0]}/label")
if status != 200 or shown.decode("utf-8", "replace").replace("\n", " ") != stored[0][4]:
    fail("a label cannot be fetched")
vans = sorted({row[5] for row in stored})
sizes = [len(parsed(ask("GET", f"/api/manifests/{name}"), 200, "a manifest cannot be fetched").get("lines", [])) for name in vans]
if max(sizes) != van:
    fail(f"vans leave with up to {max(sizes)} parcels")

while True:
    late = [row for row in rows("SELECT extract(epoch FROM ready_at), status FROM public.shipments WHERE status <> 'dispatched'")
            if float(row[0]) < time.time() - 20]
    if not late:
        break
    if time.monotonic() > deadline:
        fail(f"{len(late)} parcels that were ordered before still wait")
    time.sleep(0.7)
print("parcels were ordered, labelled and loaded, and nothing is left behind")
PY
