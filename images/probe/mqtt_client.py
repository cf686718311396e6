"""As much MQTT 5 as it takes to learn what a login may do, without any other client hearing of it."""

import secrets
import struct

from store_stream import Stream, Unreadable

MOST_MESSAGES = 10_000
RECEIVE_MAXIMUM, MAXIMUM_QOS = 0x21, 0x24
# The sizes of the properties of a CONNACK; those that are not here are texts, and a user property is two.
FIXED = {0x11: 4, 0x13: 2, RECEIVE_MAXIMUM: 2, 0x22: 2, MAXIMUM_QOS: 1, 0x25: 1, 0x27: 4, 0x28: 1, 0x29: 1, 0x2A: 1}
USER_PROPERTY, ASSIGNED_NAME = 0x26, 0x12
CONNACK, PUBLISH, PUBACK, PUBREC, SUBACK, PINGRESP = 2, 3, 4, 5, 9, 13


def fresh_name():
    """Of a client. No other has it: the broker would close the connection of the one that had it before."""
    return f"g{secrets.token_hex(8)}"


def text(value):
    data = value.encode("utf-8", "surrogatepass")
    return struct.pack(">H", len(data)) + data


def varying(data, at):
    """A number of one to four bytes, and where it ends."""
    value = 0
    for shift in (0, 7, 14, 21):
        digit, at = data[at], at + 1
        value |= (digit & 0x7F) << shift
        if digit < 0x80:
            return value, at
    raise Unreadable("it sends a number that is too long")


def as_varying(value):
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def properties(data):
    """By number, those of a CONNACK that say what the broker does."""
    found, at = {}, 0
    while at < len(data):
        number, at = data[at], at + 1
        size = FIXED.get(number)
        if size is None:
            for _ in range(2 if number == USER_PROPERTY else 1):
                at += 2 + struct.unpack(">H", data[at : at + 2])[0]
        else:
            found[number], at = int.from_bytes(data[at : at + size], "big"), at + size
    return found


class Mqtt(Stream):
    """`code` is 0 when the broker has let the login in. Its session ends with its connection, and nothing of it is kept."""

    def __init__(self, host, port, user=None, password=None, name=None):
        super().__init__(host, port)
        self.messages, self.number = [], 0
        name = name or fresh_name()
        flags = 2 | (0x80 if user is not None else 0) | (0x40 if password is not None else 0)
        credentials = b"".join(text(value) for value in (user, password) if value is not None)
        try:
            self.packet(0x10, text("MQTT") + bytes([5, flags]) + struct.pack(">H", 60) + b"\0" + text(name) + credentials)
            answer = self.until_packet(CONNACK)
            self.code = answer[1]
            size, at = varying(answer, 2)
            self.limits = properties(answer[at : at + size]) if self.code == 0 else {}
        except (EOFError, ConnectionResetError, BrokenPipeError):
            self.code, self.limits = 0xFF, {}
        except Exception:
            self.socket.close()
            raise

    def packet(self, kind, body):
        self.send(bytes([kind]) + as_varying(len(body)) + body)

    def received(self):
        kind, size = self.take(1)[0], b""
        while not size or size[-1] > 0x7F:
            size += self.take(1)
            if len(size) > 4:
                raise Unreadable("it sends a number that is too long")
        return kind, self.take(varying(size, 0)[0])

    def until_packet(self, wanted):
        """The body of the next packet of this kind; messages that come before it are kept."""
        while True:
            kind, body = self.received()
            if kind >> 4 == PUBLISH:
                self.keep(kind, body)
            if kind >> 4 == wanted:
                return body

    def keep(self, kind, body):
        end = 2 + struct.unpack(">H", body[:2])[0]
        size, at = varying(body, end + (2 if kind & 6 else 0))
        self.messages.append((bool(kind & 1), body[2:end], body[at + size :]))
        if len(self.messages) > MOST_MESSAGES:
            raise Unreadable("it has too many messages")

    def may_publish(self, topics):
        """Whether the broker takes a message for each topic. A message with QoS 2 goes to nobody until it is released, and these
        never are: the broker forgets them with the connection. So there may only be as many as it has room for at once."""
        first, taken = self.number + 1, [False] * len(topics)
        for topic in topics:
            self.number += 1
            self.packet(0x34, text(topic) + struct.pack(">H", self.number) + b"\0")
        for _ in topics:
            answer = self.until_packet(PUBREC)
            taken[struct.unpack(">H", answer[:2])[0] - first] = len(answer) < 3 or answer[2] < 0x80
        return taken

    def publish(self, topic, message):
        """With QoS 1, to everybody who is subscribed to it."""
        self.number += 1
        self.packet(0x32, text(topic) + struct.pack(">H", self.number) + b"\0" + message)
        self.until_packet(PUBACK)

    def subscribe(self, filters):
        """The broker grants more than it delivers: what counts is which messages come."""
        self.number += 1
        self.packet(0x82, struct.pack(">H", self.number) + b"\0" + b"".join(text(one) + b"\0" for one in filters))
        self.until_packet(SUBACK)

    def settle(self):
        """Everything that the broker had for us has come when it answers."""
        self.packet(0xC0, b"")
        self.until_packet(PINGRESP)
