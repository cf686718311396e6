# What customers and the printing house held before is still there, unaltered; so is every preview that a customer got meanwhile.
python3 - <<'PY'
import hashlib, http.client, json, os, sys, time

gone = {"previews": 0, "letters": 0}
held = [entry.split(":") for entry in os.environ["HELD"].split()]
if len(held) < 6:
    print("nothing is known of what was there before")
    sys.exit(1)


def ask(path):
    site = http.client.HTTPConnection("web", timeout=6)
    try:
        site.request("GET", path, headers={"Authorization": f"Bearer {os.environ['PRINT_TOKEN']}"} if path.startswith("/print/") else {})
        answer = site.getresponse()
        return answer.read(200_000) if answer.status == 200 else b""
    except (OSError, http.client.HTTPException):
        return b""
    finally:
        site.close()


def canonical(content):
    try:
        return json.dumps(json.loads(content), sort_keys=True).encode()
    except ValueError:
        return b""


for name, sha256 in held:
    is_letter = name.startswith("LP-")
    content = ask(f"/print/letters/{name}") if is_letter else canonical(ask(f"/api/previews/{name}"))
    if hashlib.sha256(content).hexdigest() != sha256:
        gone["letters" if is_letter else "previews"] += 1
promised = open("/run/customers/3").readlines() if os.path.exists("/run/customers/3") else []
fresh = [line.split(" ", 2) for line in promised if float(line.split(" ", 1)[0]) > time.time() - 1500]
for _, nonce, answer in fresh[:10] + fresh[10:][-10:]:
    if nonce.encode() not in ask(f"/api/previews/{json.loads(answer)['preview']}"):
        gone["previews"] += 1
if any(gone.values()):
    print(f"{gone['previews']} valid previews and {gone['letters']} waiting letters are gone or altered")
    sys.exit(1)
print("valid previews and waiting letters are all there")
PY
