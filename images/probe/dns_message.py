"""Messages of DNS: questions, updates, signatures by a key, and answers, which a sandbox may have written."""

import base64
import collections
import hmac
import json
import secrets
import socket
import struct
import time

from store_stream import Unreadable

NOERROR, NXDOMAIN, REFUSED = 0, 3, 5
AUTHORITATIVE, RECURSION_DESIRED, RECURSION_AVAILABLE = 0x0400, 0x0100, 0x0080
UPDATE = 5 << 11
IN, CHAOS, ANY_CLASS = 1, 3, 255
A, NS, CNAME, SOA, PTR, MX, TXT, AAAA, SRV, DNAME, TSIG, AXFR, ANY = 1, 2, 5, 6, 12, 15, 16, 28, 33, 39, 250, 252, 255
TYPES = {"A": A, "NS": NS, "CNAME": CNAME, "SOA": SOA, "PTR": PTR, "MX": MX, "TXT": TXT, "AAAA": AAAA, "SRV": SRV, "DNAME": DNAME}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
MOST_LABELS, LONGEST_NAME = 128, 1024
FUDGE_SECONDS = 300

Key = collections.namedtuple("Key", "name algorithm secret")
Record = collections.namedtuple("Record", "name type seconds text")
Answer = collections.namedtuple("Answer", "code flags records")


def key_of(name, algorithm, secret):
    try:
        return Key(name, algorithm, base64.b64decode(secret))
    except ValueError:
        raise Unreadable(f"the secret of {name} is not base64") from None


def wire(name):
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def signed(message, key):
    """RFC 8945. The answer's own signature is not looked at: whoever answers is root of the machine."""
    now, algorithm = int(time.time()), wire(key.algorithm)
    moment = struct.pack(">HIH", now >> 32, now & 0xFFFFFFFF, FUDGE_SECONDS)
    variables = wire(key.name.lower()) + struct.pack(">HI", ANY_CLASS, 0) + algorithm + moment + struct.pack(">HH", 0, 0)
    seal = hmac.new(key.secret, message + variables, key.algorithm.removeprefix("hmac-")).digest()
    rest = algorithm + moment + struct.pack(">H", len(seal)) + seal + message[:2] + struct.pack(">HH", 0, 0)
    more = struct.unpack(">H", message[10:12])[0] + 1
    return message[:10] + struct.pack(">H", more) + message[12:] + wire(key.name) + struct.pack(">HHIH", TSIG, ANY_CLASS, 0, len(rest)) + rest


def question(name, kind, flags=0, in_class=IN):
    return secrets.token_bytes(2) + struct.pack(">HHHHH", flags, 1, 0, 0, 0) + wire(name) + struct.pack(">HH", kind, in_class)


def conditional_update(zone, name, kind, data, condition):
    """An update that changes nothing: it is to be made only where a name is in use that is not. A server says so to whoever may make it,
    and refuses all others before it looks."""
    head = secrets.token_bytes(2) + struct.pack(">HHHHH", UPDATE, 1, 1, 1, 0) + wire(zone) + struct.pack(">HH", SOA, IN)
    wanted = wire(condition) + struct.pack(">HHIH", ANY, ANY_CLASS, 0, 0)
    return head + wanted + wire(name) + struct.pack(">HHIH", kind, IN, 1, len(data)) + data


def written(label):
    """As RFC 4343 writes it: no two labels look the same, nor does one look like two."""
    return "".join(chr(byte) if 0x21 <= byte <= 0x7E and byte not in b".\\" else f"\\{byte:03d}" for byte in label.lower())


def name_at(message, at):
    """A name, in lower case, and where it ends. Links only lead back, so that they end."""
    labels, end, before, size, links = [], None, at, 0, 0
    while True:
        length = message[at]
        if length & 0xC0 == 0xC0:
            link = (length & 0x3F) << 8 | message[at + 1]
            end = at + 2 if end is None else end
            links += 1
            if link >= before or links > MOST_LABELS:
                raise Unreadable("a name has no end")
            at = before = link
            continue
        at += 1
        if not length:
            return ".".join(labels), at if end is None else end
        label = written(message[at : at + length])
        labels.append(label)
        at, size = at + length, size + len(label)
        if len(labels) > MOST_LABELS or size > LONGEST_NAME:
            raise Unreadable("a name is too long")


def text_of(message, kind, at, end):
    """What a record says, with its names written out: servers abbreviate them in their own ways."""
    if kind in (A, AAAA):
        return socket.inet_ntop(socket.AF_INET if kind == A else socket.AF_INET6, message[at:end])
    if kind in (NS, CNAME, PTR, DNAME):
        return name_at(message, at)[0]
    if kind == MX:
        return f"{struct.unpack_from('>H', message, at)[0]} {name_at(message, at + 2)[0]}"
    if kind == SRV:
        return " ".join([*map(str, struct.unpack_from(">HHH", message, at)), name_at(message, at + 6)[0]])
    if kind == SOA:
        server, at = name_at(message, at)
        mail, at = name_at(message, at)
        return " ".join([server, mail, *map(str, struct.unpack_from(">IIIII", message, at))])
    if kind == TXT:
        parts = []
        while at < end:
            parts.append(json.dumps(message[at + 1 : at + 1 + message[at]].decode("utf-8", "backslashreplace"), ensure_ascii=False))
            at += 1 + message[at]
        return " ".join(parts)
    return message[at:end].hex()


def parsed(message):
    _, flags, questions, answers, _, _ = struct.unpack_from(">HHHHHH", message)
    at = 12
    for _ in range(questions):
        at = name_at(message, at)[1] + 4
    records = []
    for _ in range(answers):
        name, at = name_at(message, at)
        kind, _, seconds, size = struct.unpack_from(">HHIH", message, at)
        at += 10
        if at + size > len(message):
            raise Unreadable("a record is cut off")
        records.append(Record(name, TYPE_NAMES.get(kind, f"TYPE{kind}"), seconds, text_of(message, kind, at, at + size)))
        at += size
    return Answer(flags & 0xF, flags, records)


def read(message):
    try:
        return parsed(message)
    except (struct.error, IndexError, ValueError) as error:
        raise Unreadable("it sends what is no message of DNS") from error
