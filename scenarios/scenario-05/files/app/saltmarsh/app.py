"""The API."""

import logging
import os
import time
import tomllib
import uuid

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import exports, journal
from .db import DatabaseUnavailable, Pool, transaction

log = logging.getLogger("saltmarsh")


def create_app(path="/etc/saltmarsh/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("saltmarsh", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.extensions["pool"] = Pool(password=os.environ["SALTMARSH_DB_PASSWORD"], **settings["database"])
    app.register_blueprint(journal.blueprint)
    app.register_blueprint(exports.blueprint)
    app.add_url_rule("/health", view_func=health)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def health():
    with transaction() as cursor:
        cursor.execute("SELECT count(*) AS queued FROM exports WHERE status = 'queued'")
        return jsonify(status="ok", database="ok", exports_queued=cursor.fetchone()["queued"])


def start_request():
    g.started = time.perf_counter()
    g.request_id = request.headers.get("X-Request-Id") or uuid.uuid4().hex


def finish_request(response):
    response.headers["X-Request-Id"] = g.request_id
    quiet = request.path == "/health" and response.status_code < 400
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={
        "method": request.method, "path": request.path, "status": response.status_code,
        "duration_ms": round((time.perf_counter() - g.started) * 1000, 1), "request_id": g.request_id,
    })
    return response


def answer_error(error):
    if isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, DatabaseUnavailable):
        log.error("database unavailable", extra={"reason": str(error), "request_id": g.request_id})
        status, code, message = 503, "database_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status
