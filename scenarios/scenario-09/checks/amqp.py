"""As much of a broker's language as a publisher needs."""

import socket, struct, time


class Refused(Exception):
    pass


def short(text):
    return bytes([len(text)]) + text.encode()


def longer(text):
    return struct.pack(">I", len(text)) + text.encode()


def table(key, kind, value):
    entry = short(key) + kind + value
    return struct.pack(">I", len(entry)) + entry


# A client that says so is told at once that its password is wrong.
CAPABILITIES = table("capabilities", b"F", table("authentication_failure_close", b"t", b"\1"))


class Broker:
    """As much AMQP 0-9-1 as it takes to publish with the broker's confirmation, and to be told what is refused."""

    def __init__(self, user, password):
        self.stream = dial()
        self.stream.sendall(b"AMQP\0\0\x09\x01")
        self.until((10, 10))
        self.send(0, 10, 11, CAPABILITIES + short("PLAIN") + longer(f"\0{user}\0{password}") + short("en_US"))
        self.until((10, 30))
        self.send(0, 10, 31, struct.pack(">HIH", 1, 131072, 0))
        self.send(0, 10, 40, short("tidewell") + short("") + b"\0")
        self.until((10, 41))
        self.send(1, 20, 10, short(""))
        self.until((20, 11))
        self.send(1, 85, 10, b"\0")
        self.until((85, 11))

    def frame(self, kind, channel, payload):
        self.stream.sendall(struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce")

    def send(self, channel, family, method, arguments):
        self.frame(1, channel, struct.pack(">HH", family, method) + arguments)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise Refused("closed")
            data += part
        return data

    def until(self, *wanted):
        """The next of these methods; anything that says no is an error."""
        while True:
            kind, _, size = struct.unpack(">BHI", self.read(7))
            payload = self.read(size + 1)
            method = struct.unpack(">HH", payload[:4]) if kind == 1 else None
            if method in wanted:
                return method
            if method in ((10, 50), (20, 40), (60, 50), (60, 120)):
                raise Refused(str(method))

    def publish(self, body, identity, key="order.marketplace"):
        self.send(1, 60, 40, struct.pack(">H", 0) + short("orders") + short(key) + b"\1")
        properties = short("application/json") + b"\2" + short(identity) + short("marketplace-feed")
        self.frame(2, 1, struct.pack(">HHQH", 60, 0, len(body), 0x9088) + properties)
        self.frame(3, 1, body)
        self.until((60, 80))


def dial():
    """A broker that has just been started needs a moment."""
    until = time.monotonic() + 15
    while True:
        try:
            return socket.create_connection(("mq", 5672), 8)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)
