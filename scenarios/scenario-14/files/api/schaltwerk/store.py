"""etcd over its JSON gateway: one call at a time for each thread, over a connection that is kept, at whichever member answers.
Whoever writes has to make sure that a repeated call does no harm: an answer may be lost."""

import base64
import http.client
import json
import logging
import threading
import time

log = logging.getLogger("schaltwerk.store")
UNAUTHENTICATED, UNAVAILABLE, DEADLINE, UNKNOWN = 16, 14, 4, 2
PASSING = (UNAVAILABLE, DEADLINE, UNKNOWN)


class StoreUnavailable(Exception):
    pass


class StoreRefused(Exception):
    pass


def encode(text):
    return base64.b64encode(text.encode()).decode()


def decode(text):
    return base64.b64decode(text).decode()


def after(prefix):
    """The first key behind all keys with this prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


class Store:
    def __init__(self, members, user, password, call_seconds, patience_seconds):
        self.members = [member.rsplit(":", 1) for member in members]
        self.credentials = {"name": user, "password": password}
        self.call_seconds, self.patience = call_seconds, patience_seconds
        self.token, self.first = None, 0
        self.kept = threading.local()

    def post(self, member, path, data, token):
        connections = self.kept.__dict__.setdefault("connections", {})
        connection = connections.pop(member, None)
        fresh = connection is None
        host, port = self.members[member]
        connection = connection or http.client.HTTPConnection(host, int(port), timeout=self.call_seconds)
        headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
        try:
            connection.request("POST", path, json.dumps(data), headers)
            answer = connection.getresponse()
            status, content = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            if not fresh:
                return self.post(member, path, data, token)
            raise
        connections[member] = connection
        try:
            return status, json.loads(content)
        except ValueError:
            return status, {}

    def call(self, path, data, login=True):
        """The answer of the first member that has one; a member that fails is asked last from then on."""
        until, last = time.monotonic() + self.patience, "nothing was tried"
        while True:
            member = self.first
            try:
                if login and self.token is None:
                    self.token = self.call("/v3/auth/authenticate", self.credentials, login=False)["token"]
                token = self.token if login else None
                status, answer = self.post(member, path, data, token)
                code, last = answer.get("code"), answer.get("error") or f"status {status}"
                if status == 200:
                    return answer
                if code == UNAUTHENTICATED or "invalid auth token" in last or "revision of auth store is old" in last:
                    if self.token == token:
                        self.token = None
                elif code not in PASSING:
                    raise StoreRefused(last)
            except (OSError, http.client.HTTPException) as error:
                last = f"{':'.join(self.members[member])}: {error or type(error).__name__}"
            if time.monotonic() > until:
                raise StoreUnavailable(last)
            if self.first == member:
                self.first = (member + 1) % len(self.members)
            time.sleep(0.1)

    def read(self, key, prefix=False, limit=0):
        data = {"key": encode(key), "limit": limit}
        if prefix:
            data["range_end"] = encode(after(key))
        return [entry(found) for found in self.call("/v3/kv/range", data).get("kvs", [])]

    def commit(self, compare, success, failure=()):
        return self.call("/v3/kv/txn", {"compare": list(compare), "success": list(success), "failure": list(failure)})

    def lease(self, seconds):
        return self.call("/v3/lease/grant", {"TTL": seconds})["ID"]


def entry(found):
    return {"key": decode(found["key"]), "value": json.loads(decode(found.get("value", ""))), "revision": int(found["mod_revision"])}


def put(key, value, lease=None):
    request = {"key": encode(key), "value": encode(json.dumps(value))}
    return {"request_put": {**request, **({"lease": lease} if lease else {})}}


def is_absent(key):
    return {"key": encode(key), "target": "CREATE", "result": "EQUAL", "create_revision": "0"}
