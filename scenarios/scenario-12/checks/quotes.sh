# Customers' own transactions, six at once: quotes are made, right, and in the database.
python3 - <<'PY'
import heapq, http.client, json, os, random, subprocess, sys, threading

nonce, wrong, made = os.environ["NONCE"], [], []
found = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkspur", "-X", "-q", "-A", "-t", "-c",
                        "SELECT id, origin, destination, cents_per_100kg FROM public.lanes"], capture_output=True, text=True)
lanes = [line.split("|") for line in found.stdout.split()]
if len(lanes) < 100:
    print("the lanes cannot be read from the database")
    sys.exit(1)
leaving = {}
for _, origin, destination, cents in lanes:
    leaving.setdefault(origin, []).append((destination, int(cents)))
prices = {(origin, destination): int(cents) for _, origin, destination, cents in lanes}
ends = {number: (origin, destination) for number, origin, destination, _ in lanes}


def cheapest(start, goal):
    done, waiting = set(), [(0, start)]
    while waiting:
        cost, depot = heapq.heappop(waiting)
        if depot == goal:
            return cost
        if depot not in done:
            done.add(depot)
            for destination, cents in leaving[depot]:
                heapq.heappush(waiting, (cost + cents, destination))


def visit(number):
    site = http.client.HTTPConnection("api", 8000, timeout=12)
    try:
        for turn in range(2):
            start, goal = random.sample(sorted(leaving), 2)
            weight = random.randint(1, 24000)
            order = {"origin": start, "destination": goal, "weight_kg": weight, "client_reference": f"c-{nonce}-{number}-{turn}"}
            site.request("POST", "/api/quotes", json.dumps(order), {"Content-Type": "application/json"})
            answer = site.getresponse()
            content = answer.read(100_000)
            if answer.status != 201:
                wrong.append(f"a quote was answered with {answer.status}")
                return
            quote = json.loads(content)
            way = [ends[str(lane)] for lane in quote["lanes"]]
            hundreds = -(-weight // 100)
            if quote["price_cents"] != cheapest(start, goal) * hundreds or sum(prices[leg] for leg in way) * hundreds != quote["price_cents"]:
                wrong.append("a quote has another price than its lanes")
            made.append(f"{quote['reference']}|c-{nonce}-{number}-{turn}|{quote['price_cents']}")
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        wrong.append("the quotes do not answer in time")
    finally:
        site.close()


crowd = [threading.Thread(target=visit, args=(number,)) for number in range(6)]
for one in crowd:
    one.start()
for one in crowd:
    one.join()
if wrong:
    print(f"{len(wrong)} of 6 customers had trouble: {wrong[0]}")
    sys.exit(1)
kept = subprocess.run(["psql", "-h", "db", "-U", "oncall", "-d", "larkspur", "-X", "-q", "-A", "-t", "-c",
                       f"SELECT reference, client_reference, price_cents FROM public.quotes WHERE client_reference LIKE 'c-{nonce}-%'"],
                      capture_output=True, text=True)
if sorted(kept.stdout.split()) != sorted(made):
    print("quotes are not in the database as they were made")
    sys.exit(1)
print("twelve quotes were made, six at once")
PY
