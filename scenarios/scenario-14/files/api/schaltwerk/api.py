"""What goes over the wire: input checks, errors that are answers, log lines."""

import json
import logging
import re
from datetime import datetime, timezone

from flask import request


class ApiError(Exception):
    """An HTTP status, a stable code, and a sentence for people."""


def invalid(message):
    return ApiError(422, "invalid_request", message)


def body():
    data = request.get_json(silent=True)
    if not isinstance(data, dict):
        raise ApiError(400, "malformed_json", "the body has to be a JSON object")
    return data


def text(data, field, pattern):
    value = data.get(field)
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.DOTALL):
        raise invalid(f"{field} is missing or malformed")
    return value


def integer(data, field, lowest, highest):
    value = data.get(field)
    if type(value) is not int or not lowest <= value <= highest:
        raise invalid(f"{field} has to be a whole number from {lowest} to {highest}")
    return value


def query_integer(field, default, lowest, highest):
    raw = request.args.get(field, str(default))
    return integer({field: int(raw) if re.fullmatch("[0-9]{1,9}", raw) else None}, field, lowest, highest)


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


class JsonFormatter(logging.Formatter):
    standard = {*vars(logging.makeLogRecord({})), "message"}

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "pid": record.process,
            "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in self.standard},
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)
