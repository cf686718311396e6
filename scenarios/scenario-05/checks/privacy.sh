# Journals are for their customers only. A small customer orders an export; others ask for it.
python3 - <<'PY'
import http.client, json, os, sys

nonce = os.environ["NONCE"]
site = http.client.HTTPConnection("web", timeout=12)


def fail(text):
    print(text)
    sys.exit(1)


def ask(path, authorization, data=None):
    try:
        headers = {"Content-Type": "application/json", **({} if authorization is None else {"Authorization": authorization})}
        site.request("GET" if data is None else "POST", path, data and json.dumps(data), headers)
        answer = site.getresponse()
        return answer.status, answer.read(8_000_000)
    except (OSError, http.client.HTTPException):
        fail("the site does not answer")


def told(answer):
    try:
        return json.loads(answer[1]) if answer[0] in (200, 202) else {}
    except ValueError:
        return {}


owner, stranger = (f"Bearer {os.environ[name]}" for name in ("OWNER", "STRANGER"))
path = f"/api/exports/{told(ask('/api/exports', owner, {'client_reference': f'mine-{nonce}'})).get('reference')}"
for who, wanted in ((stranger, 404), (f"Bearer wrong{nonce}", 401), ("Bearer ", 401), ("Basic b25jYWxsOm9uY2FsbA==", 401), (None, 401)):
    for asked in (path, path + "/file"):
        if (status := ask(asked, who)[0]) != wanted:
            fail(f"an export of somebody else was answered with {status}")
for asked in ("/api/journal", "/api/summary", "/api/exports"):
    if (status := ask(asked, None)[0]) != 401:
        fail(f"{asked} without a token was answered with {status}")
print("journals are for their customers only")
PY
