"""Tidemarket shop service: baskets and orders as JSON over HTTP."""

import logging
import os
import time
import tomllib
import uuid

from flask import Flask, current_app, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import baskets, orders
from .api import ApiError
from .store import Store, StoreUnavailable

log = logging.getLogger("tidemarket")


def create_app(path="/etc/tidemarket/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("tidemarket", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.config["SETTINGS"] = settings
    app.extensions["store"] = Store(
        password=os.environ["TIDEMARKET_REDIS_PASSWORD"], sentinel_password=os.environ["TIDEMARKET_SENTINEL_PASSWORD"], **settings["store"])
    for part in (baskets, orders):
        app.register_blueprint(part.blueprint)
    app.add_url_rule("/health", view_func=health)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def health():
    host, port = current_app.extensions["store"].address()
    return jsonify(status="ok", master=f"{host}:{port}")


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
    elif isinstance(error, StoreUnavailable):
        log.error("store unavailable", extra={"reason": str(error), "request_id": g.request_id})
        status, code, message = 503, "store_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status
