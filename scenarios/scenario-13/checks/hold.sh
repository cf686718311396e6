# Customers, before anything went wrong: parcels for now, for in a moment, and for days to come. Prints what they ordered.
python3 - <<'PY'
import http.client, json, os, secrets, sys
from datetime import datetime, timedelta, timezone

sys.path.append("/opt/probe")
from records import note

site = http.client.HTTPConnection("web", timeout=8)
now = datetime.now(timezone.utc)
people = ["Gesa Harms", "Falk Ihnen", "Imke Meints", "Birk Albers"]
items = []
for seconds in (0, 3, 6, 45, 259_200):
    for depot, person in zip(("BRV", "CUX", "EMD", "WHV"), people):
        items.append({"client_reference": f"shop-{secrets.token_hex(8)}", "depot": depot, "recipient": person, "address": f"Kai {len(items) + 1}, 26725 Emden",
                      "grams": 300 + 11 * len(items), "ready_at": (now + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")})
for item in items:
    reference, depot, person, address, grams, _ = item.values()
    row = {"shipments": [reference, depot, person, address, grams], "labels": [reference, os.environ["DPI"].split()[0]], "loaded": [reference, "once"]}
    note("attempted", {"writes": row})
site.request("POST", "/api/shipments/batch", json.dumps({"items": items}), {"Content-Type": "application/json"})
answer = site.getresponse()
content = json.loads(answer.read())
assert answer.status == 201, content
print(" ".join(f"{entry['shipment']}:{entry['client_reference']}:{entry['depot']}:{entry['grams']}:{entry['recipient'].replace(' ', '_')}:{int(now.timestamp() + seconds)}"
               for entry, seconds in zip(content["items"], [s for s in (0, 3, 6, 45, 259_200) for _ in people])))
PY
