# Customers' own transactions, six at once: quotes are made, right, and in the database.
python3 - <<'PY'
import heapq, http.client, json, os, random, subprocess, sys

sys.path.append("/opt/probe")
from records import note

nonce, made = os.environ["NONCE"], []
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


class Customer:
    def __init__(self, number):
        self.number, self.site, self.trouble = number, http.client.HTTPConnection("api", 8000, timeout=12), None

    def attempt(self, work, *arguments):
        if self.trouble is None:
            try:
                self.trouble = work(*arguments)
            except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
                self.trouble = "the quotes do not answer in time"

    def ask(self, turn):
        self.start, self.goal = random.sample(sorted(leaving), 2)
        self.weight, self.mark = random.randint(1, 24000), f"c-{nonce}-{self.number}-{turn}"
        order = {"origin": self.start, "destination": self.goal, "weight_kg": self.weight, "client_reference": self.mark}
        self.row = {"writes": {"quotes": [self.mark, self.start, self.goal, self.weight, ""]}}
        note("attempted", self.row)
        self.site.request("POST", "/api/quotes", json.dumps(order), {"Content-Type": "application/json"})

    def take(self):
        answer = self.site.getresponse()
        content = answer.read(100_000)
        if answer.status != 201:
            return f"a quote was answered with {answer.status}"
        note("acknowledged", self.row)
        quote = json.loads(content)
        way = [ends[str(lane)] for lane in quote["lanes"]]
        hundreds = -(-self.weight // 100)
        made.append(f"{quote['reference']}|{self.mark}|{quote['price_cents']}")
        if quote["price_cents"] != cheapest(self.start, self.goal) * hundreds or sum(prices[leg] for leg in way) * hundreds != quote["price_cents"]:
            return "a quote has another price than its lanes"


crowd = [Customer(number) for number in range(6)]
for one in crowd:
    one.attempt(one.site.connect)
for turn in range(2):
    for one in crowd:  # all ask before anybody takes an answer, however slow this machine is
        one.attempt(one.ask, turn)
    for one in crowd:
        one.attempt(one.take)
for one in crowd:
    one.site.close()
wrong = [one.trouble for one in crowd if one.trouble]
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
