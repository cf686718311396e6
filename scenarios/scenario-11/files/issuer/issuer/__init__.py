"""The portal's token issuer: access tokens (ES256) for customers' sessions and for batch jobs, a key set, and rotation."""

import hmac
import logging
import os
import time
import tomllib

import jwt
from flask import Flask, g, jsonify, request

from . import web
from .store import Store, digest
from .web import ApiError

log = logging.getLogger("issuer")


def create_app(path="/etc/issuer/issuer.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    tokens, keys = settings["tokens"], settings["keys"]
    admin_secret = os.environ["ISSUER_ADMIN_SECRET"]
    store = Store(settings["database"], keys["grace_seconds"], keys["publish_ahead_seconds"])
    store.prepare(os.environ["ISSUER_FIRST_BATCH_SECRET"], os.environ["ISSUER_SESSION_SEED"])
    app = Flask("issuer", static_folder=None)
    web.install(app)

    def admin():
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {admin_secret}".encode()):
            raise ApiError(401, "unauthorized", "administrators only")

    @app.get("/health")
    def health():
        return jsonify(status="ok", key=store.signing_key()["kid"])

    @app.get("/auth/.well-known/jwks.json")
    def key_set():
        response = jsonify(keys=[key["public"] for key in store.published()])
        response.headers["Cache-Control"] = "max-age=1"
        return response

    @app.post("/auth/token")
    def token():
        form = request.get_json(silent=True)
        if not isinstance(form, dict) or not all(isinstance(value, (str, int)) for value in form.values()):
            raise ApiError(400, "invalid_request", "the body has to be a flat JSON object")
        if form.get("grant_type") == "client_credentials":
            client = store.client(str(form.get("client_id")), str(form.get("client_secret")))
            if client is None:
                raise ApiError(401, "invalid_client", "unknown client or wrong secret")
            subject, longest = f"client:{client}", tokens["batch_lifetime_seconds"]
        elif form.get("grant_type") == "refresh_token":
            subject, longest = store.session(digest(str(form.get("refresh_token")))), tokens["lifetime_seconds"]
            if subject is None:
                raise ApiError(400, "invalid_grant", "no such session")
        else:
            raise ApiError(400, "unsupported_grant_type", "client_credentials or refresh_token")
        audience = form.get("audience")
        if audience not in ("documents", "billing", "tickets"):
            raise ApiError(400, "invalid_target", "no such service")
        asked = form.get("lifetime", longest)
        lifetime = max(1, min(longest, asked)) if isinstance(asked, int) else longest
        now, key = time.time(), store.signing_key()
        claims = {"iss": settings["issuer"], "sub": subject, "aud": audience, "iat": int(now), "exp": int(now) + lifetime}
        g.about = {"subject": subject, "audience": audience, "kid": key["kid"]}
        signed = jwt.encode(claims, key["private"], algorithm="ES256", headers={"kid": key["kid"]})
        return jsonify(access_token=signed, token_type="Bearer", expires_in=lifetime)

    @app.post("/auth/admin/rotate")
    def rotate():
        admin()
        key = store.rotate()
        log.info("rotated", extra={"kid": key["kid"], "signs_from": key["signs_from"], "grace_seconds": store.grace})
        return jsonify(kid=key["kid"], signs_from=key["signs_from"]), 201

    @app.get("/auth/admin/keys")
    def list_keys():
        admin()
        return jsonify(keys=[{name: key[name] for name in ("kid", "signs_from", "retired_at")} for key in store.published()])

    @app.get("/auth/admin/clients")
    def list_clients():
        admin()
        return jsonify(clients=store.clients())

    @app.get("/auth/admin/sessions")
    def list_sessions():
        admin()
        return jsonify(sessions=store.sessions())

    return app
