# Customers and the printing house, before anything went wrong: previews that are valid for two days, letters that wait. Prints
# what they hold.
python3 - <<'PY'
import hashlib, http.client, json, secrets, sys

sys.path.append("/opt/probe")
from records import note

site = http.client.HTTPConnection("web", timeout=8)


def ask(method, path, data):
    site.request(method, path, json.dumps(data), {"Content-Type": "application/json"})
    answer = site.getresponse()
    content = answer.read(200_000)
    assert answer.status == 201, answer.status
    return json.loads(content)


people = ["Gesa Harms", "Falk Ihnen", "Imke Meints", "Birk Albers"]
held = []
for index, person in enumerate(people):
    order = {"sender": person, "recipient": people[index - 3], "address": f"Lindenallee {index + 2}, 26603 Aurich",
             "text": f"Dear neighbour, our reference is {secrets.token_hex(6)}. " * (1 + 9 * index), "ttl_seconds": 172_800}
    preview = ask("POST", "/api/previews", order)
    shown = json.dumps(preview, sort_keys=True)
    held.append(f"{preview['preview']}:{hashlib.sha256(shown.encode()).hexdigest()}")
    if index % 2 == 0:
        reference = f"web-{secrets.token_hex(10)}"
        row = {"writes": {"letters": [reference, person, order["recipient"], preview["pages"], preview["price_cents"], ""]}}
        note("attempted", row)
        letter = ask("POST", "/api/letters", {"preview": preview["preview"], "client_reference": reference})
        note("acknowledged", row)
        held.append(f"{letter['letter']}:{letter['sha256']}")
print(" ".join(held))
PY
