"""One of the portal's services: a customer's records, for whoever holds a token for it."""

import logging
import os
import re
import sqlite3
import threading
import time
import tomllib

import jwt
from flask import Flask, g, jsonify, request

from . import web
from .keyring import KeyRing
from .web import ApiError

log = logging.getLogger("records")
SCHEMA = "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL, created REAL NOT NULL)"


def create_app(path="/etc/records/service.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    name, issuer = os.environ["SERVICE"], settings["tokens"]["issuer"]
    ring = KeyRing(settings["tokens"]["key_set"], **settings["keys"])
    local = threading.local()
    app = Flask("records", static_folder=None)
    web.install(app)

    def db():
        if not hasattr(local, "db"):
            local.db = sqlite3.connect(settings["database"], timeout=10, isolation_level=None)
            local.db.row_factory = sqlite3.Row
        return local.db

    db().execute("PRAGMA journal_mode = TRUNCATE")
    db().execute(SCHEMA)

    def caller():
        """Who holds the token; a token that does not convince is refused, and the log says why."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not token:
            raise ApiError(401, "invalid_token", "a token is needed")
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            g.about = {"kid": kid}
            key = ring.find(kid)
            if key is None:
                raise jwt.InvalidTokenError("unknown key")
            claims = jwt.decode(token, key, algorithms=["ES256"], audience=name, issuer=issuer, options={"require": ["exp", "iat", "sub", "aud", "iss"]})
        except (jwt.InvalidTokenError, TypeError, ValueError) as error:
            log.warning("token refused", extra={"reason": str(error), **g.about})
            raise ApiError(401, "invalid_token", "the token is not good here") from None
        g.about["subject"] = claims["sub"]
        return claims["sub"]

    @app.get("/health")
    def health():
        db().execute("SELECT 1 FROM records LIMIT 1")
        return jsonify(status="ok", service=name)

    @app.get(f"/{name}/me")
    def me():
        return jsonify(service=name, subject=caller())

    @app.get(f"/{name}/records")
    def index():
        owner = caller()
        rows = db().execute("SELECT id, text, created FROM records WHERE owner = ? ORDER BY id DESC LIMIT 20", (owner,))
        return jsonify(items=[dict(row) for row in rows])

    @app.get(f"/{name}/records/<int:number>")
    def one(number):
        row = db().execute("SELECT id, text, created FROM records WHERE id = ? AND owner = ?", (number, caller())).fetchone()
        if row is None:
            raise ApiError(404, "not_found", "no such record")
        return jsonify(dict(row))

    @app.post(f"/{name}/records")
    def create():
        owner, form = caller(), request.get_json(silent=True)
        text = form.get("text") if isinstance(form, dict) else None
        if not isinstance(text, str) or not re.fullmatch(r"[^\r\n]{1,200}", text):
            raise ApiError(422, "invalid_request", "text is missing or too long")
        number = db().execute("INSERT INTO records (owner, text, created) VALUES (?, ?, ?)", (owner, text, time.time())).lastrowid
        return jsonify(id=number, text=text), 201

    ring.renew(time.monotonic())
    return app
