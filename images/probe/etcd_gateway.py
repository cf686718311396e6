"""A client of one member of an etcd cluster, over its JSON gateway. A member is not trusted: what it answers is bounded."""

import http.client
import json
import time

from store_common import Late, NoAnswer

MOST_BYTES = 8 * 1024 * 1024
PAUSE_SECONDS = 0.2
NOT_NOW = (0, 500, 502, 503, 504)


def failed(status, said):
    """The error for an answer of this status. Who has no leader yet, for instance, does not answer in time."""
    return (Late if status in NOT_NOW else NoAnswer)(said)


class Member:
    def __init__(self, host, port, until):
        self.host, self.until, self.token = host, until, None
        self.site = http.client.HTTPConnection(host, port)

    def once(self, method, path, data=None):
        """Status and content; status 0 when there is no answer."""
        headers = {"Content-Type": "application/json", **({"Authorization": self.token} if self.token else {})}
        self.site.timeout = max(0.05, min(8, self.until - time.monotonic()))
        if self.site.sock is not None:
            self.site.sock.settimeout(self.site.timeout)
        try:
            self.site.request(method, path, None if data is None else json.dumps(data), headers)
            answer = self.site.getresponse()
            content = answer.read(MOST_BYTES + 1)
        except (OSError, http.client.HTTPException):
            self.site.close()
            return 0, b""
        if len(content) > MOST_BYTES:
            raise NoAnswer(f"{self.host} answers without end")
        return answer.status, content

    def post(self, path, data, until=None):
        """Status and answer, for as long as it takes to find a leader."""
        while True:
            status, content = self.once("POST", path, data)
            if status not in NOT_NOW or time.monotonic() > (until or self.until):
                break
            time.sleep(PAUSE_SECONDS)
        try:
            answer = json.loads(content) if status else {}
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise NoAnswer(f"{self.host} does not answer as etcd does")
        return status, answer

    def ask(self, path, data):
        status, answer = self.post(path, data)
        if status != 200:
            raise failed(status, f"{self.host} refuses {path}" if status else f"{self.host} does not answer")
        return answer

    def token_of(self, name, password):
        """None when the member does not let this user in."""
        token, self.token = self.token, None
        status, answer = self.post("/v3/auth/authenticate", {"name": name, "password": password})
        self.token = token
        if status in NOT_NOW:
            raise failed(status, f"{self.host} cannot check a password" if status else f"{self.host} does not answer")
        if "not enabled" in str(answer.get("error")):
            raise NoAnswer(f"{self.host} asks nobody for a password")
        return answer.get("token") if status == 200 else None
