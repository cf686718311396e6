"""Waits until every probe given on standard input has succeeded once.

Input:  {"timeout_ms": 30000, "probes": [{"http": {"url": ..., "status": 200}}, {"tcp": {"host": ..., "port": 5432}}]}
Output: {"ready": true} or {"ready": false, "pending": [{"probe": ..., "last": "connection refused"}]}
"""

import json
import socket
import sys
import time

ATTEMPT_SECONDS = 2.0
PAUSE_SECONDS = 0.02


def attempt_tcp(host, port):
    with socket.create_connection((host, port), ATTEMPT_SECONDS):
        return None


def attempt_http(url, status):
    address, _, path = url.removeprefix("http://").partition("/")
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port or 80)), ATTEMPT_SECONDS) as connection:
        request = f"GET /{path} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = connection.recv(64).decode("latin-1").split(" ")
    seen = answer[1] if len(answer) > 1 else "no status line"
    return None if seen == str(status) else f"answered {seen}"


def attempt(probe):
    """None when it succeeded, else what was seen."""
    try:
        if "http" in probe:
            return attempt_http(probe["http"]["url"], probe["http"]["status"])
        return attempt_tcp(probe["tcp"]["host"], probe["tcp"]["port"])
    except OSError as error:
        return error.strerror or str(error)


def main():
    order = json.load(sys.stdin)
    deadline = time.monotonic() + order["timeout_ms"] / 1000
    pending = [{"probe": probe, "last": "not tried"} for probe in order["probes"]]
    while pending and time.monotonic() < deadline:
        for entry in pending:
            entry["last"] = attempt(entry["probe"])
        pending = [entry for entry in pending if entry["last"] is not None]
        if pending:
            time.sleep(PAUSE_SECONDS)
    print(json.dumps({"ready": True} if not pending else {"ready": False, "pending": pending}))


main()
