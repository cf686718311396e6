"""Ferngiro payout API: merchants order payouts and see what became of them. Booking is the worker's business."""

import logging
import os
import time
import tomllib
import uuid

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import payouts
from .api import ApiError
from .db import DatabaseUnavailable, Pool, transaction

log = logging.getLogger("ferngiro")


def create_app(path="/etc/ferngiro/api.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("ferngiro", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.config["MAX_AMOUNT"] = settings["service"]["max_amount_cents"]
    app.extensions["pool"] = Pool(password=os.environ["FERNGIRO_DB_PASSWORD"], **settings["database"])
    app.register_blueprint(payouts.blueprint)
    app.add_url_rule("/health", view_func=health)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def health():
    with transaction() as cursor:
        cursor.execute("SELECT 1 FROM payouts LIMIT 1")
    return jsonify(status="ok", database="ok")


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
    if isinstance(error, ApiError):
        status, code, message = error.args
    elif isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, DatabaseUnavailable):
        log.error("database unavailable", extra={"reason": str(error), "request_id": g.request_id})
        status, code, message = 503, "database_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status
