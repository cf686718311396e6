"""Keys, clients and sessions in SQLite. Secrets are kept as digests; private keys never leave this machine."""

import base64
import hashlib
import hmac
import json
import secrets
import sqlite3
import threading
import time

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

SCHEMA = """
    CREATE TABLE IF NOT EXISTS keys (kid TEXT PRIMARY KEY, private TEXT NOT NULL, public TEXT NOT NULL, signs_from REAL NOT NULL, retired_at REAL);
    CREATE TABLE IF NOT EXISTS clients (name TEXT PRIMARY KEY, secret_digest TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, token_digest TEXT NOT NULL UNIQUE, device TEXT NOT NULL, begun TEXT NOT NULL);
"""
FORGET_SECONDS = 600


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def coordinate(number):
    """All 32 bytes of it, leading zeros included (RFC 7518, 6.2.1.2)."""
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()


class Store:
    def __init__(self, path, grace, ahead):
        self.path, self.grace, self.ahead = path, grace, ahead
        self.local = threading.local()

    @property
    def db(self):
        if not hasattr(self.local, "db"):
            self.local.db = sqlite3.connect(self.path, timeout=10, isolation_level=None)
            self.local.db.row_factory = sqlite3.Row
        return self.local.db

    def prepare(self, batch_secret, session_seed):
        """An empty database gets its first key, the batch client, and the sessions that the old login had."""
        self.db.execute("PRAGMA journal_mode = TRUNCATE")
        self.db.executescript(SCHEMA)
        if self.db.execute("SELECT count(*) FROM keys").fetchone()[0] == 0:
            self.db.execute("BEGIN IMMEDIATE")
            self.add_key(time.time())
            self.db.execute("INSERT INTO clients VALUES ('nightly', ?)", (digest(batch_secret),))
            devices = ("browser", "phone", "tablet")
            self.db.executemany("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", [
                (number, f"customer:{1000 + number * 7 % 90}", digest(hmac.new(session_seed.encode(), b"%d" % number, "sha256").hexdigest()),
                 devices[number % 3], f"2026-{1 + number % 9:02}-{1 + number % 28:02}T{number % 24:02}:15:00Z")
                for number in range(1, 61)
            ])
            self.db.execute("COMMIT")

    def add_key(self, signs_from):
        private = ec.generate_private_key(ec.SECP256R1())
        kid = f"{time.strftime('%Y%m%d', time.gmtime())}-{secrets.token_hex(4)}"
        point = private.public_key().public_numbers()
        public = {"kty": "EC", "crv": "P-256", "x": coordinate(point.x), "y": coordinate(point.y), "kid": kid, "use": "sig", "alg": "ES256"}
        pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        self.db.execute("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (kid, pem, json.dumps(public), signs_from))
        return {"kid": kid, "signs_from": signs_from}

    def rotate(self):
        """The new key signs from now on, or when it has been published for long enough; its predecessors are retired then."""
        self.db.execute("BEGIN IMMEDIATE")
        now = time.time()
        self.db.execute("UPDATE keys SET retired_at = ? WHERE retired_at IS NULL", (now + self.ahead,))
        key = self.add_key(now + self.ahead)
        self.db.execute("DELETE FROM keys WHERE retired_at < ?", (now - FORGET_SECONDS,))
        self.db.execute("COMMIT")
        return key

    def signing_key(self):
        return dict(self.db.execute("SELECT * FROM keys WHERE signs_from <= ? ORDER BY signs_from DESC LIMIT 1", (time.time(),)).fetchone())

    def published(self):
        rows = self.db.execute("SELECT * FROM keys WHERE retired_at IS NULL OR retired_at + ? > ? ORDER BY signs_from", (self.grace, time.time()))
        return [dict(row) | {"public": json.loads(row["public"])} for row in rows]

    def client(self, name, secret):
        row = self.db.execute("SELECT name FROM clients WHERE name = ? AND secret_digest = ?", (name, digest(secret))).fetchone()
        return row and row["name"]

    def clients(self):
        return [row["name"] for row in self.db.execute("SELECT name FROM clients ORDER BY name")]

    def session(self, token_digest):
        row = self.db.execute("SELECT subject FROM sessions WHERE token_digest = ?", (token_digest,)).fetchone()
        return row and row["subject"]

    def sessions(self):
        return [dict(row) for row in self.db.execute("SELECT id, subject, device, begun FROM sessions ORDER BY id")]
