"""Sends one HTTP request as a customer's browser would. Traffic, checks and load all use it, so that a sandbox cannot tell a
check from a customer. The answer is bounded in time and size."""

import http.client
import random
import socket
import threading
import time
from urllib.parse import urlsplit

MAX_BODY = 256 * 1024
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile Safari/604.1",
)


def hang_up(connected):
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed already


def connect(connection, deadline):
    """The engine's DNS server sometimes fails temporarily (EAI_AGAIN); then the lookup is repeated, as resolvers do."""
    while True:
        try:
            return connection.connect()
        except socket.gaierror as error:
            if error.errno != socket.EAI_AGAIN or time.monotonic() + 0.2 > deadline:
                raise
            time.sleep(0.1)


def read_bounded(response, deadline):
    body = b""
    while len(body) <= MAX_BODY:
        chunk = response.read1(min(65536, MAX_BODY + 1 - len(body)))
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
        if not chunk:
            return body
        body += chunk
    raise ValueError("the answer is too large")


def request(order):
    """{"url", "method"?, "headers"?, "body"?, "timeout_ms"?} -> {"status", "headers", "body", "ms"} or {"error", "ms"}"""
    started = time.monotonic()
    seconds = order.get("timeout_ms", 5000) / 1000
    deadline = started + seconds
    parts = urlsplit(order["url"])
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=seconds)
    end = None
    try:
        connect(connection, deadline)
        end = threading.Timer(deadline - time.monotonic(), hang_up, [connection.sock])
        end.daemon = True
        end.start()
        headers = {"User-Agent": random.choice(AGENTS), "Accept": "*/*", **order.get("headers", {})}
        body = order.get("body")
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body.encode()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(order.get("method", "GET"), path, body=body, headers=headers)
        response = connection.getresponse()
        answer = {
            "status": response.status,
            "headers": {name.lower(): value for name, value in response.getheaders()[:64]},
            "body": read_bounded(response, deadline).decode("utf-8", "replace"),
        }
    except Exception as error:  # whatever the other side says is an answer, and ends no customer
        timed_out = time.monotonic() > deadline
        answer = {"error": "timed out" if timed_out else str(error) or type(error).__name__}
    finally:
        if end is not None:
            end.cancel()
        connection.close()
    answer["ms"] = round((time.monotonic() - started) * 1000, 1)
    return answer
