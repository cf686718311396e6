# Customers ask every depot, and depots that have just been registered under names that nobody could know.
exec python3 - <<'PY'
import hashlib, hmac, http.client, json, os, socket, subprocess, sys, time

sys.path.append("/opt/probe")
from dns_client import addresses_of

NONCE, KEY = os.environ["NONCE"], os.environ["SIGNING_KEY"].encode()
ZONE = "depots.fernpost.internal"
NODES = {f"node-{number}": socket.gethostbyname(f"node-{number}") for number in (1, 2)}
depots = [("north", "node-1"), ("south", "node-2"), ("west", "node-1")]
fresh = [(f"pop-{NONCE[:20]}-{number}", f"node-{number % 2 + 1}") for number in range(12)]


def update(lines):
    order = "server ns1\n" + "\n".join(lines) + "\nsend\n"
    done = subprocess.run(["nsupdate", "-t", "8", "-y", "hmac-sha256:registrar:" + os.environ["REGISTRAR"]], input=order, text=True, capture_output=True)
    return done.returncode == 0


def knows(server):
    return all(addresses_of(server, f"{name}.{ZONE}")[1] == [NODES[node]] for name, node in reversed(fresh))


def fetch(depot, node, number):
    parcel, weight = f"P-{NONCE[:24]}-{number}", 700 + 613 * number
    connection = http.client.HTTPConnection("web", 80, timeout=9)
    try:
        connection.request("GET", f"/depots/{depot}/quote?parcel={parcel}&weight_g={weight}&to=SE", headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"})
        answer = connection.getresponse()
        body = answer.read(65536)
        if answer.status != 200:
            return f"a quote was answered with {answer.status}"
        quote = json.loads(body)
        signed = f"{depot}|{parcel}|{weight}|SE|{quote['price_cents']}"
        right = hmac.new(KEY, signed.encode(), hashlib.sha256).hexdigest()
        price = 420 + 95 * -(-weight // 1000) + 610
        if (quote["signature"], quote["price_cents"], quote["node"]) != (right, price, node):
            return "a quote came from the wrong place, or is wrong"
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return "a quote could not be had"
    finally:
        connection.close()


if not update([f"update add {name}.{ZONE} 1 A {NODES[node]}" for name, node in fresh]):
    print("a depot could not be registered")
    sys.exit(1)
deadline = time.monotonic() + 7
while time.monotonic() < deadline and not (knows("ns1") and knows("ns2")):
    time.sleep(0.3)
wrong = [seen for number, (depot, node) in enumerate(depots + fresh + depots) if (seen := fetch(depot, node, number))]
update([f"update delete {name}.{ZONE} A" for name, _ in fresh])
if wrong:
    print(f"{len(wrong)} of {len(depots) * 2 + len(fresh)} quotes failed: {wrong[0]}")
    sys.exit(1)
print("every depot answers, and so do those that have just been registered")
PY
