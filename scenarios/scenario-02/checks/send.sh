# A customer's own transaction: preview a letter, look at it, post it; the printing house finds it and prints it.
python3 - <<'PY'
import hashlib, http.client, json, os, subprocess, sys

sys.path.append("/opt/probe")
from records import note

nonce, token = os.environ["NONCE"], os.environ["PRINT_TOKEN"]


def fail(text):
    print(text)
    sys.exit(1)


def ask(method, path, data=None, **headers):
    site = http.client.HTTPConnection("web", timeout=6)
    try:
        headers = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", **headers}
        if data is not None:
            headers["Content-Type"] = "application/json"
        site.request(method, path, None if data is None else json.dumps(data), headers)
        answer = site.getresponse()
        return answer.status, answer.read(200_000)
    except (OSError, http.client.HTTPException):
        fail("the site does not answer")
    finally:
        site.close()


def parsed(answer, status, complaint):
    if answer[0] != status:
        fail(f"{complaint} ({answer[0]})")
    try:
        return json.loads(answer[1])
    except ValueError:
        fail(complaint)


house = {"Authorization": f"Bearer {token}"}
written = f"Dear Sir or Madam, {nonce}. " + "Kind regards. " * 150
order = {"sender": f"Desk {nonce[:6]}", "recipient": "Amt Norden", "address": "Am Markt 3, 26506 Norden", "text": written}
preview = parsed(ask("POST", "/api/previews", order), 201, "a preview was refused")
shown = parsed(ask("GET", f"/api/previews/{preview.get('preview')}"), 200, "a preview cannot be looked at")
if shown.get("text") != written or (shown.get("pages"), shown.get("price_cents")) != (2, 179):
    fail("a preview shows something else")

wanted = {"preview": preview["preview"], "client_reference": f"desk-{nonce}"}
row = {"writes": {"letters": [wanted["client_reference"], order["sender"], order["recipient"], 2, 179, ""]}}
note("attempted", row)
letter = parsed(ask("POST", "/api/letters", wanted), 201, "a letter was refused")
note("acknowledged", row)
again = parsed(ask("POST", "/api/letters", wanted), 200, "an order that was sent twice was not recognised")
if again != letter:
    fail("an order that was sent twice was not recognised")
if ask("POST", "/api/letters", {**wanted, "preview": "0" * 20, "client_reference": f"none-{nonce}"})[0] != 404:
    fail("a letter without a preview was taken")
number = letter.get("letter")
waiting = parsed(ask("GET", "/print/queue?limit=500", **house), 200, "the printing house cannot see its queue")
if number not in [item.get("letter") for item in waiting.get("items", [])]:
    fail("a letter is not in the printing house's queue")
status, content = ask("GET", f"/print/letters/{number}", **house)
if status != 200 or nonce.encode() not in content or hashlib.sha256(content).hexdigest() != letter.get("sha256"):
    fail("a letter does not reach the printing house as it was written")

parsed(ask("POST", f"/print/letters/{number}/printed", {}, **house), 200, "a letter cannot be marked as printed")
query = f"SELECT number, status, price_cents FROM public.letters WHERE client_reference = 'desk-{nonce}'"
rows = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "lindenpost", "-X", "-A", "-t", "-c", query], capture_output=True, text=True)
if rows.stdout.strip() != f"{number}|printed|179":
    fail("a printed letter is not in the database as such")
if ask("GET", f"/print/letters/{number}", **house)[0] != 404:
    fail("a printed letter is still in the outbox")
print("a letter was previewed, ordered, handed to the printing house and printed")
PY
