"""A client of the Redis protocol (RESP 2) for servers that are not trusted: what they answer is bytes, bounded in size and depth, and
nothing but its length ends a value."""

import socket
import time

from store_common import Late, NoAnswer

MOST_BYTES = 32 * 1024 * 1024
MOST_LINE = 64 * 1024
MOST_DEPTH = 8
MOST_AT_ONCE = 400
NOT_READY = (b"LOADING", b"MASTERDOWN")


class Lost(Late):
    """The connection ended, or the server is not ready yet: a failover ends the connections of everybody, and a start takes its time."""


class Refused(bytes):
    """An error as the server worded it: one of the answers of a pipeline."""


class Redis:
    def __init__(self, host, port, until):
        self.host, self.until, self.left = host, until, MOST_BYTES
        try:
            self.socket = socket.create_connection((host, port), self.remaining())
        except OSError as error:
            raise Late(f"{host} does not answer") from error
        self.file = self.socket.makefile("rb", 64 * 1024)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def remaining(self):
        return max(0.05, self.until - time.monotonic())

    def all(self, commands):
        """The answers to commands, each a sequence of texts or bytes, in their order."""
        answers = []
        try:
            for start in range(0, len(commands), MOST_AT_ONCE):
                part = commands[start : start + MOST_AT_ONCE]
                self.socket.settimeout(self.remaining())
                self.socket.sendall(b"".join(map(encoded, part)))
                answers += [self.answer(MOST_DEPTH) for _ in part]
        except Lost:
            raise
        except OSError as error:
            raise Lost(f"{self.host} does not answer") from error
        except ValueError as error:
            raise NoAnswer(f"{self.host} does not answer as Redis does") from error
        if any(isinstance(answer, Refused) and answer.startswith(NOT_READY) for answer in answers):
            raise Lost(f"{self.host} is not ready")
        return answers

    def ask(self, *words):
        """The answer to one command; raises NoAnswer when it is refused."""
        (answer,) = self.all([words])
        if isinstance(answer, Refused):
            raise NoAnswer(f"{self.host} refuses {words[0]}")
        return answer

    def take(self, count):
        self.left -= count
        if self.left < 0:
            raise NoAnswer(f"{self.host} answers without end")

    def answer(self, depth):
        line = self.file.readline(MOST_LINE)
        if not line:
            raise Lost(f"{self.host} does not answer")
        if not line.endswith(b"\r\n") or depth == 0:
            raise NoAnswer(f"{self.host} does not answer as Redis does")
        self.take(len(line))
        kind, rest = line[0], line[1:-2]
        if kind == 36:  # $
            return None if rest == b"-1" else self.bulk(int(rest))
        if kind == 58:  # :
            return int(rest)
        if kind == 43:  # +
            return rest
        if kind == 45:  # -
            return Refused(rest)
        if kind == 42:  # *
            return None if rest == b"-1" else [self.answer(depth - 1) for _ in range(int(rest))]
        raise NoAnswer(f"{self.host} does not answer as Redis does")

    def bulk(self, size):
        self.take(max(0, size))
        value = self.file.read(size + 2)
        if size < 0 or len(value) != size + 2:
            raise NoAnswer(f"{self.host} does not answer as Redis does")
        return value[:-2]


def encoded(words):
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def pairs(flat):
    """A dictionary of bytes, from a list of names and values in turn."""
    if not isinstance(flat, list) or len(flat) % 2 or not all(isinstance(part, bytes) for part in flat):
        raise NoAnswer("an answer was not understood")
    return dict(zip(flat[::2], flat[1::2]))
