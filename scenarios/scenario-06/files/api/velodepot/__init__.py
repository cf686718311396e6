"""Velodepot rental service: stations, docks and rides as JSON over HTTP."""

import logging
import os
import time
import tomllib
import uuid

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import rides, stations
from .api import ApiError
from .db import DatabaseUnavailable, Pool, transaction

log = logging.getLogger("velodepot")


def create_app(path="/etc/velodepot/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("velodepot", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.config["SETTINGS"] = settings
    app.extensions["pool"] = Pool(password=os.environ["VELODEPOT_DB_PASSWORD"], **settings["database"])
    for part in (stations, rides):
        app.register_blueprint(part.blueprint)
    app.add_url_rule("/health", view_func=health)
    app.add_url_rule("/health/archive", view_func=health_of_archive)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def health():
    with transaction() as cursor:
        cursor.execute("SELECT 1 FROM stations LIMIT 1")
    return jsonify(status="ok", database="ok")


def health_of_archive():
    """Whether anybody receives the database's log. Not part of /health: rides go on without."""
    with transaction() as cursor:
        cursor.execute("SELECT count(*) AS receivers FROM pg_stat_replication")
        receivers = cursor.fetchone()["receivers"]
    return jsonify(status="ok" if receivers else "nobody receives the log", receivers=receivers), 200 if receivers else 503


def start_request():
    g.started = time.perf_counter()
    g.request_id = request.headers.get("X-Request-Id") or uuid.uuid4().hex


def finish_request(response):
    response.headers["X-Request-Id"] = g.request_id
    quiet = request.path.startswith("/health") and response.status_code < 400
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
