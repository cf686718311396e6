"""What goes over the wire: errors that are answers, log lines."""

import json
import logging
import time
from datetime import datetime, timezone

from flask import g, jsonify, request
from werkzeug.exceptions import HTTPException

log = logging.getLogger("web")


class ApiError(Exception):
    """An HTTP status, a stable code, and a sentence for people."""


def install(app):
    app.json.sort_keys = False
    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(Exception, answer)


def begin():
    g.started = time.perf_counter()
    g.about = {}


def finish(response):
    if request.path != "/health":
        log.info("request", extra={
            "method": request.method, "path": request.path, "status": response.status_code, **g.about,
            "duration_ms": round((time.perf_counter() - g.started) * 1000, 1), "request_id": request.headers.get("X-Request-Id"),
        })
    return response


def answer(error):
    if isinstance(error, ApiError):
        status, code, message = error.args
    elif isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    else:
        log.exception("unhandled error")
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error=code, error_description=message), status


class JsonFormatter(logging.Formatter):
    standard = {*vars(logging.makeLogRecord({})), "message"}

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in self.standard},
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)
