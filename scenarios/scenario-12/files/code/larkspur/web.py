"""What all services of ours have in common as web applications: request log, errors as JSON."""

import logging
import time

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

from .pool import Busy

log = logging.getLogger("larkspur.web")


def create(name):
    app = Flask(name, static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = 16384
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def start_request():
    g.started = time.perf_counter()


def finish_request(response):
    quiet = request.path in ("/health", "/admin/settings") and response.status_code < 400
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={
        "method": request.method, "path": request.path, "status": response.status_code,
        "duration_ms": round((time.perf_counter() - g.started) * 1000, 1)})
    return response


def answer_error(error):
    if isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, Busy):
        status, code, message = 503, "busy", f"please try again in a moment: {error}"
    else:
        log.exception("unhandled error")
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message}), status
