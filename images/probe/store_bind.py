"""Describes the name servers of zones as grading compares them: what each answers, who may fetch a zone from it and who may change what,
with each key and without one, and whether all of them hold the same. No server tells its rules, so all of this is found by trying; nothing
is changed by it.

Standard input: {"servers": [host, ...], the primary first, "port", "zones": [zone, ...], "keys": {name: {"algorithm", "secret"}},
"reader": the key that may fetch zones, or null, "names": [name at and below which updates are tried, ...], "guesses": false where servers
have just begun}
Standard output: {"things": {name: digest}, "room": {what is left of serial numbers: number}, "wrong": [text, ...]}
"""

import json
import secrets
import socket
import struct
import sys
import time

import dns_message as dns
from dns_client import Dns, ask_by_datagram
from store_common import digests, in_threads, leave
from store_stream import Unreadable

SETTLE_SECONDS, PAUSE_SECONDS = 10, 0.4
# A secondary that came up before its primary asks again after a while.
BEGIN_SECONDS = 16
FAILURES = (Unreadable, OSError, EOFError)
NOBODY = "anybody"
LAST_SERIAL = 2**32 - 1
FIRST_TYPES = ("A", "TXT", "CNAME", "NS")
OTHER_TYPES = ("AAAA", "MX", "SRV")
TARGET = dns.wire("guard.invalid")
VALUES = {
    "A": socket.inet_aton("192.0.2.1"), "AAAA": socket.inet_pton(socket.AF_INET6, "2001:db8::1"), "TXT": b"\x05guard", "CNAME": TARGET, "MX": b"\0\1" + TARGET, "NS": TARGET, "SRV": struct.pack(">HHH", 0, 0, 9) + TARGET,
}


def who(name):
    return NOBODY if name is None else f"the key {name}"


def data(*values):
    return json.dumps(values).encode()


def answers(spec, host, fresh):
    """How it answers for its zones, for others, and for itself."""
    with Dns(host, spec["port"]) as server:
        for zone in spec["zones"]:
            said = server.ask(dns.question(zone, dns.SOA))
            short = ask_by_datagram(host, dns.question(zone, dns.SOA), spec["port"])
            shape = [[answer.code, bool(answer.flags & dns.AUTHORITATIVE), len(answer.records)] for answer in (said, short)]
            yield f"answers of {host} for {zone}", data(*shape)
            # Whether it would ask others for somebody. It is not asked to: what it asks might never answer.
            yield f"answers of {host} for other zones", data(bool(said.flags & dns.RECURSION_AVAILABLE))
        other = server.ask(dns.question(f"{fresh}.example", dns.A))
        yield f"answers of {host} for other zones", data(other.code, len(other.records))
        version = server.ask(dns.question("version.bind", dns.TXT, in_class=dns.CHAOS))
        yield f"what {host} says of itself", data(version.code, [record.text for record in version.records])


def keys_of(spec, host, keys):
    """Which keys it knows; none is taken with another secret."""
    zone = spec["zones"][0]
    with Dns(host, spec["port"]) as server:
        for name, key in keys.items():
            if server.ask(dns.question(zone, dns.SOA), key).code == dns.NOERROR:
                yield f"key {name} of {host}", b"works"
            if server.ask(dns.question(zone, dns.SOA), key._replace(secret=secrets.token_bytes(32))).code == dns.NOERROR:
                yield f"key {name} of {host} with any secret", b"works"


def transfers(spec, host, keys):
    """Who may fetch a zone."""
    for zone in spec["zones"]:
        for name in (None, *keys):
            with Dns(host, spec["port"]) as server:
                if server.transfer(zone, keys.get(name)) is not None:
                    yield f"right of {who(name)} to fetch {zone} from {host}", b"yes"


def places(spec, zone, fresh):
    """Where updates are tried, by what it is called."""
    tried = {zone: zone, f"what is below {zone}": f"{fresh}.{zone}"}
    for name in spec["names"]:
        if name.endswith(f".{zone}"):
            tried |= {name: name, f"what is below {name}": f"{fresh}.{name}"}
    return tried


def updates(spec, host, keys, fresh):
    """Who may change what. Whoever may change nothing of the first types is not tried with the others: each refusal is a line of the log."""
    with Dns(host, spec["port"]) as server:
        for zone in spec["zones"]:
            tried = places(spec, zone, fresh)
            for name in (None, *keys):
                for types in (FIRST_TYPES, OTHER_TYPES):
                    may = [
                        (called, kind)
                        for called, place in tried.items()
                        for kind in types
                        if server.ask(dns.conditional_update(zone, place, dns.TYPES[kind], VALUES[kind], f"{fresh}.{zone}"), keys.get(name)).code == dns.NXDOMAIN
                    ]
                    yield from ((f"right of {who(name)} to change {kind} of {called} at {host}", b"yes") for called, kind in may)
                    if not may:
                        break


def wild(records):
    """Names that stand for all others, and what leads out of the zone below it."""
    zone = records[0].name
    for record in records:
        if "*" in record.name.split(".") or (record.type == "NS" and record.name != zone) or record.type == "DNAME":
            yield f"{record.type} of {record.name}", record.text.encode()


def room(records):
    """How far the serial number of a zone is from its end: beyond it, every ordinary number is an older one to the secondaries."""
    start = next((record for record in records if record.type == "SOA"), None)
    if start is None:
        raise Unreadable("a zone has no SOA record")
    return {f"the serial number of {start.name}": LAST_SERIAL - int(start.text.split()[2])}


def fetched(spec, host, zone, key):
    with Dns(host, spec["port"], patience=0) as server:
        return server.transfer(zone, key)


def disagreements(spec, keys):
    """Which servers hold something else than the primary, once they have had the time to hear of its last change; and the primary's zones."""
    until = time.monotonic() + (SETTLE_SECONDS if spec.get("guesses", True) else BEGIN_SECONDS)
    key, tasks = keys.get(spec["reader"]), [(zone, host) for zone in spec["zones"] for host in spec["servers"]]
    while True:
        found = in_threads(lambda task: fetched(spec, task[1], task[0], key), tasks, FAILURES)
        held = dict(zip(tasks, found))
        astray = [f"{host} does not hand out {zone} to its key" for (zone, host), records in held.items() if not isinstance(records, list)]
        firsts = {zone: held[zone, spec["servers"][0]] for zone in spec["zones"]}
        if not astray:
            astray = [
                f"{host} does not hold what {spec['servers'][0]} holds of {zone}"
                for (zone, host), records in held.items()
                if sorted(records) != sorted(firsts[zone])
            ]
        silent = next(((host, error) for (_, host), error in held.items() if isinstance(error, Exception)), None)
        if silent and time.monotonic() > until:
            leave("{} does not answer: {}".format(*silent), silent[1])
        if not astray or time.monotonic() > until:
            return astray, [records for records in firsts.values() if isinstance(records, list)]
        time.sleep(PAUSE_SECONDS)


def describe(spec):
    keys = {name: dns.key_of(name, **key) for name, key in spec["keys"].items()}
    fresh = f"guard-{secrets.token_hex(8)}"

    def seen(task):
        look, host = task
        return list(look(host))

    looks = (
        lambda host: answers(spec, host, fresh),
        lambda host: keys_of(spec, host, keys),
        lambda host: transfers(spec, host, keys),
        lambda host: updates(spec, host, keys, fresh),
    )
    astray, zones = disagreements(spec, keys)
    found = in_threads(seen, [(look, host) for host in spec["servers"] for look in looks], FAILURES)
    for answer in found:
        if isinstance(answer, Exception):
            raise answer
    things = [entry for entries in found for entry in entries] + [entry for records in zones for entry in wild(records)]
    return {"things": digests(things), "room": {name: left for records in zones for name, left in room(records).items()}, "wrong": astray}


if __name__ == "__main__":
    try:
        print(json.dumps(describe(json.load(sys.stdin)), separators=(",", ":")))
    except FAILURES as error:
        leave(f"a name server does not answer as one does: {error}", error)
    except (KeyError, TypeError, ValueError, AttributeError):
        sys.exit("an answer was not understood")
