"""Asks a name server: questions by TCP and UDP, and whole zones."""

import socket
import struct

from dns_message import A, AXFR, NOERROR, RECURSION_DESIRED, question, read, signed
from store_stream import Stream, Unreadable

MOST_RECORDS, LONGEST_DATAGRAM = 20_000, 4096


class Dns(Stream):
    """Over TCP, one message after the other."""

    def __init__(self, host, port=53, **patience):
        super().__init__(host, port, **patience)

    def say(self, message, key=None):
        whole = message if key is None else signed(message, key)
        self.send(struct.pack(">H", len(whole)) + whole)

    def hear(self, number):
        message = self.take(struct.unpack(">H", self.take(2))[0])
        if message[:2] != number:
            raise Unreadable("it answers another question")
        return read(message)

    def ask(self, message, key=None):
        self.say(message, key)
        return self.hear(message[:2])

    def transfer(self, zone, key=None):
        """All records of a zone, its SOA first; None where it is refused."""
        message, records = question(zone, AXFR), []
        self.say(message, key)
        while len(records) < 2 or records[-1].type != "SOA":
            answer = self.hear(message[:2])
            records += answer.records
            if answer.code != NOERROR or not records or records[0].type != "SOA":
                return None
            if len(records) > MOST_RECORDS:
                raise Unreadable("the zone has too many records")
        return records[:-1]


def ask_by_datagram(host, message, port=53, seconds=2, attempts=2):
    """By UDP, which may lose a question."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.settimeout(seconds)
        link.connect((host, port))
        for left in reversed(range(attempts)):
            link.send(message)
            try:
                answer = link.recv(LONGEST_DATAGRAM)
                break
            except TimeoutError:
                if not left:
                    raise
    if answer[:2] != message[:2]:
        raise Unreadable("it answers another question")
    return read(answer)


def addresses_of(host, name, over_tcp=False):
    """For check scripts: the flags of an answer and the addresses in it; nothing where there is no answer."""
    message = question(name, A, RECURSION_DESIRED)
    try:
        if over_tcp:
            with Dns(host, patience=0) as server:
                answer = server.ask(message)
        else:
            answer = ask_by_datagram(host, message)
    except (Unreadable, OSError, EOFError):
        return 0, []
    return answer.flags, [record.text for record in answer.records if record.type == "A"]
