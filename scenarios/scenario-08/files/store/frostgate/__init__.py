"""Frostgate readings: what cold stores measure, from the broker into the database, and as JSON over HTTP."""

import logging
import os
import time
import tomllib

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import api
from .consumer import Consumer
from .db import DatabaseUnavailable, Pool

log = logging.getLogger("frostgate")


def create_app(path="/etc/frostgate/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("frostgate", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = 16384
    app.config["SILENT_AFTER"] = settings["service"]["silent_after_seconds"]
    pool = Pool(password=os.environ["FROSTGATE_DB_PASSWORD"], **settings["database"])
    app.extensions["pool"] = pool
    app.extensions["consumer"] = Consumer(pool, password=os.environ["FROSTGATE_MQTT_PASSWORD"], **settings["broker"])
    app.register_blueprint(api.blueprint)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def start_request():
    g.started = time.perf_counter()


def finish_request(response):
    quiet = request.path == "/health" and response.status_code < 400
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={
        "method": request.method, "path": request.path, "status": response.status_code,
        "duration_ms": round((time.perf_counter() - g.started) * 1000, 1),
    })
    return response


def answer_error(error):
    if isinstance(error, api.ApiError):
        status, code, message = error.args
    elif isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, DatabaseUnavailable):
        log.error("database unavailable", extra={"reason": str(error)})
        status, code, message = 503, "database_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error")
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message}), status
