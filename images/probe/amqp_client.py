"""As much AMQP 0-9-1 as it takes to log in at a broker, and to publish with its confirmation."""

import struct

from store_stream import PATIENCE_SECONDS, SECONDS, Stream, Unreadable

START, START_OK, TUNE, TUNE_OK = (10, 10), (10, 11), (10, 30), (10, 31)
OPEN, OPEN_OK, CLOSE, CLOSE_OK = (10, 40), (10, 41), (10, 50), (10, 51)
OPEN_CHANNEL, CHANNEL_IS_OPEN, CHANNEL_IS_CLOSED = (20, 10), (20, 11), (20, 40)
PUBLISH, RETURNED, CONFIRMED, NOT_CONFIRMED = (60, 40), (60, 50), (60, 80), (60, 120)
SELECT_CONFIRMS, CONFIRMS_SELECTED = (85, 10), (85, 11)
METHOD, HEADER, BODY, FRAME_END = 1, 2, 3, b"\xce"
LONGEST_FRAME = 131_072
# Of a message: content type, persistent, its id, its user, and what sent it.
PROPERTIES = 0x9098


class Refused(Exception):
    """The broker says no."""


def short(text):
    data = text.encode()
    return bytes([len(data)]) + data


def longer(text):
    data = text.encode()
    return struct.pack(">I", len(data)) + data


def table(key, kind, value):
    entry = short(key) + kind + value
    return struct.pack(">I", len(entry)) + entry


# A client that says so is told at once that its password is wrong.
CAPABILITIES = table("capabilities", b"F", table("authentication_failure_close", b"t", b"\1"))


class Amqp(Stream):
    """Logged in; Refused where that is not allowed. Without a virtual host, it only says who it is."""

    def __init__(self, host, port, user, password, vhost=None, seconds=SECONDS, patience=PATIENCE_SECONDS):
        super().__init__(host, port, seconds, patience)
        self.user = user
        self.send(b"AMQP\0\0\x09\x01")
        self.wait_for(START)
        self.say(0, START_OK, CAPABILITIES + short("PLAIN") + longer(f"\0{user}\0{password}") + short("en_US"))
        self.wait_for(TUNE)
        if vhost is not None:
            self.say(0, TUNE_OK, struct.pack(">HIH", 1, LONGEST_FRAME, 0))
            self.say(0, OPEN, short(vhost) + short("") + b"\0")
            self.wait_for(OPEN_OK)

    def frame(self, kind, channel, payload):
        self.send(struct.pack(">BHI", kind, channel, len(payload)) + payload + FRAME_END)

    def say(self, channel, method, arguments):
        self.frame(METHOD, channel, struct.pack(">HH", *method) + arguments)

    def wait_for(self, wanted):
        """Reads to the method that is waited for. Whatever says no is Refused."""
        while True:
            kind, _, size = struct.unpack(">BHI", self.take(7))
            if size > LONGEST_FRAME:
                raise Unreadable("it sends a frame that is too long")
            payload = self.take(size + 1)
            method = struct.unpack(">HH", payload[:4]) if kind == METHOD else None
            if method == wanted:
                return
            if method in (CLOSE, CHANNEL_IS_CLOSED, RETURNED, NOT_CONFIRMED):
                raise Refused(str(method))

    def confirm_what_is_published(self):
        self.say(1, OPEN_CHANNEL, short(""))
        self.wait_for(CHANNEL_IS_OPEN)
        self.say(1, SELECT_CONFIRMS, b"\0")
        self.wait_for(CONFIRMS_SELECTED)

    def publish(self, exchange, key, body, identity, sender):
        """A persistent message, which some queue has to take. It bears its user, in whose name the broker lets nobody else publish."""
        self.say(1, PUBLISH, struct.pack(">H", 0) + short(exchange) + short(key) + b"\1")
        properties = short("application/json") + b"\2" + short(identity) + short(self.user) + short(sender)
        self.frame(HEADER, 1, struct.pack(">HHQH", 60, 0, len(body), PROPERTIES) + properties)
        self.frame(BODY, 1, body)
        self.wait_for(CONFIRMED)

    def end(self):
        """As a client does that has done what it came for: a broker notes one that just goes away."""
        self.say(0, CLOSE, struct.pack(">H", 200) + short("") + struct.pack(">HH", 0, 0))
        self.wait_for(CLOSE_OK)
