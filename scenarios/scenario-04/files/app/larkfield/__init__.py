"""Larkfield orders: seeds and bulbs by mail, as JSON over HTTP."""

import logging
import os
import time
import tomllib
import uuid

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import orders, status
from .api import ApiError
from .db import DatabaseUnavailable, Pool
from .prices import PriceList

log = logging.getLogger("larkfield")
QUIET = ("/healthz", "/ready", "/internal/metrics")


def create_app(path="/etc/larkfield/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("larkfield", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.config["MAX_QUANTITY"] = settings["service"]["max_quantity"]
    app.config["REPLICA"] = os.environ["LARKFIELD_REPLICA"]
    login = {"user": os.environ["LARKFIELD_DB_USER"], "password": os.environ["LARKFIELD_DB_PASSWORD"]}
    pool = Pool(application_name="larkfield " + app.config["REPLICA"], **login, **settings["database"])
    app.extensions["pool"] = pool
    app.extensions["prices"] = PriceList(pool, **settings["prices"])
    app.extensions["counts"] = {}
    app.register_blueprint(orders.blueprint)
    app.register_blueprint(status.blueprint)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def start_request():
    g.started = time.perf_counter()
    g.request_id = request.headers.get("X-Request-Id") or uuid.uuid4().hex


def finish_request(response):
    status.count(response.status_code)
    response.headers["X-Request-Id"] = g.request_id
    quiet = request.path in QUIET and response.status_code < 400
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={
        "method": request.method, "path": request.path, "status": response.status_code,
        "duration_ms": round((time.perf_counter() - g.started) * 1000, 1), "request_id": g.request_id,
    })
    return response


def answer_error(error):
    if isinstance(error, ApiError):
        status_code, code, message = error.args
    elif isinstance(error, HTTPException):
        status_code, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, DatabaseUnavailable):
        log.error("database unavailable", extra={"reason": str(error), "request_id": g.request_id})
        status_code, code, message = 503, "database_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status_code, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status_code
