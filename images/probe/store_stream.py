"""A connection to a data store of a sandbox, which may send anything: bounded in bytes and in time, whatever comes. What was started a
moment ago is waited for."""

import base64
import json
import socket
import time

SECONDS = 6
PATIENCE_SECONDS = 8
PAUSE_SECONDS = 0.2
MOST_BYTES = 8 * 1024 * 1024
CHUNK = 64 * 1024


class Unreadable(Exception):
    """It does not answer, or not as such a store does."""


class Late(Unreadable, TimeoutError):
    """It did not answer in time."""


def dial(host, port, patience):
    until = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection((host, port), SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
        time.sleep(PAUSE_SECONDS)


class Stream:
    """Use it as a context manager. Both bounds are for the whole of the connection."""

    def __init__(self, host, port, seconds=SECONDS, patience=PATIENCE_SECONDS):
        self.socket = dial(host, port, patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.until = time.monotonic() + seconds
        self.left = MOST_BYTES
        self.held = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def in_time(self):
        left = self.until - time.monotonic()
        if left <= 0:
            raise Late("it did not answer in time")
        self.socket.settimeout(left)

    def send(self, data):
        self.in_time()
        self.socket.sendall(data)

    def more(self):
        """Whether there was more to read."""
        self.in_time()
        part = self.socket.recv(CHUNK)
        self.left -= len(part)
        if self.left < 0:
            raise Unreadable("it answers without end")
        self.held += part
        return bool(part)

    def take(self, count):
        while len(self.held) < count:
            if not self.more():
                raise EOFError("it closed the connection")
        taken = bytes(self.held[:count])
        del self.held[:count]
        return taken

    def rest(self):
        while self.more():
            pass
        return bytes(self.held)


def get_json(host, port, path, user, password, patience=PATIENCE_SECONDS):
    """What an HTTP API answers. Raises Unreadable for whatever is not 200 with JSON."""
    credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
    with Stream(host, port, patience=patience) as stream:
        stream.send(f"GET {path} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Basic {credentials}\r\n\r\n".encode())
        head, _, body = stream.rest().partition(b"\r\n\r\n")
    status = head[9:12]
    if status != b"200":
        raise Unreadable(f"it answered {status.decode('ascii', 'replace')} to {path.partition('?')[0]}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Unreadable(f"{path.partition('?')[0]} is not JSON") from None
