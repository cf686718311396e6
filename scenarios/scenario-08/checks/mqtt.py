"""As much of a device's language as checks need."""

import os, socket, struct, sys, time

NONCE = os.environ["NONCE"]


def text(value):
    return struct.pack(">H", len(value)) + value.encode()


def dial():
    """A broker that has just been started needs a moment."""
    for _ in range(20):
        try:
            return socket.create_connection(("broker", 1883), 5)
        except ConnectionRefusedError:
            time.sleep(0.2)
    return socket.create_connection(("broker", 1883), 5)


class Client:
    """As much MQTT 5 as it takes to be told what is refused."""

    def __init__(self, name, user=None, password=None):
        self.stream = dial()
        self.messages, self.number = [], 0
        flags = 2 | (0x80 if user is not None else 0) | (0x40 if password is not None else 0)
        body = text("MQTT") + bytes([5, flags]) + struct.pack(">H", 60) + b"\0" + text(f"{name}-{NONCE}")
        self.send(0x10, body + (text(user) if user is not None else b"") + (text(password) if password is not None else b""))
        try:
            self.code = self.until(2)[1]
        except (OSError, EOFError):
            self.code = -1

    def send(self, kind, body):
        size, length = len(body), b""
        while True:
            size, digit = size >> 7, size & 0x7F
            length += bytes([digit | (0x80 if size else 0)])
            if not size:
                break
        self.stream.sendall(bytes([kind]) + length + body)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def until(self, wanted):
        """The next packet of this kind; messages that come before it are kept."""
        while True:
            kind, size, shift = self.read(1)[0], 0, 0
            while True:
                digit = self.read(1)[0]
                size, shift = size | (digit & 0x7F) << shift, shift + 7
                if digit < 0x80:
                    break
            body = self.read(size)
            if kind >> 4 == 3:
                end = 2 + struct.unpack(">H", body[:2])[0]
                self.messages.append((body[2:end].decode(), body[end + 1 + body[end]:].decode("utf-8", "replace")))
            if kind >> 4 == wanted:
                return body

    def publish(self, topic, payload):
        """Whether the broker takes it."""
        self.number += 1
        self.send(0x32, text(topic) + struct.pack(">H", self.number) + b"\0" + payload.encode())
        answer = self.until(4)
        return len(answer) < 3 or answer[2] < 0x80

    def subscribe(self, *topics):
        for topic in topics:
            self.number += 1
            self.send(0x82, struct.pack(">H", self.number) + b"\0" + text(topic) + b"\0")
            self.until(9)

    def settle(self):
        """Everything that the broker had for us has come when it answers."""
        self.send(0xC0, b"")
        self.until(13)


def topic(device, end):
    return f"frostgate/{device.split('-')[-2]}/{device}/{end}"


def fail(message):
    print(message)
    sys.exit(1)
