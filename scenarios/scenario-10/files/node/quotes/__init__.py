"""Quotes and pickup slots for parcels, as JSON over HTTP. A node calculates for whichever depots its address is given."""

import hashlib
import hmac
import json
import logging
import os
import re
import time
import tomllib
from datetime import datetime, timedelta, timezone

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException

log = logging.getLogger("quotes")


class ApiError(Exception):
    """An HTTP status, a stable code, and a sentence for people."""


def create_app(path="/etc/quotes/app.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    node, key = os.environ["NODE"], os.environ["QUOTES_SIGNING_KEY"].encode()
    drained = node in settings["fleet"]["drained"]
    tariff, pickup = settings["tariff"], settings["pickup"]
    app = Flask("quotes", static_folder=None)
    app.json.sort_keys = False

    @app.before_request
    def begin():
        g.started = time.perf_counter()
        if drained and request.path != "/health":
            raise ApiError(503, "node_drained", f"{node} is out of service")

    @app.get("/health")
    def health():
        return jsonify(status="drained" if drained else "ok", node=node)

    @app.get("/depots/<depot>/quote")
    def quote(depot):
        parcel = argument("parcel", r"[\w-]{4,64}")
        weight = int(argument("weight_g", r"[0-9]{1,6}"))
        country = argument("to", r"[A-Z]{2}", "DE")
        if not 0 < weight <= tariff["heaviest_g"]:
            raise ApiError(422, "too_heavy", f"parcels weigh up to {tariff['heaviest_g']} g")
        price = tariff["base_cents"] + tariff["per_started_kg_cents"] * -(-weight // 1000)
        price += tariff["abroad_cents"] * (country != "DE")
        until = datetime.now(timezone.utc) + timedelta(minutes=tariff["quote_valid_minutes"])
        signed = f"{depot}|{parcel}|{weight}|{country}|{price}"
        return jsonify(
            depot=depot, parcel=parcel, weight_g=weight, to=country, price_cents=price, currency=tariff["currency"],
            valid_until=until.isoformat(timespec="seconds"), node=node,
            signature=hmac.new(key, signed.encode(), hashlib.sha256).hexdigest(),
        )

    @app.get("/depots/<depot>/slots")
    def slots(depot):
        day = (datetime.now(timezone.utc) + timedelta(days=1)).date().isoformat()
        hours = range(pickup["first_hour"], pickup["last_hour"], pickup["slot_hours"])
        return jsonify(depot=depot, day=day, node=node, slots=[f"{hour:02}:00" for hour in hours])

    @app.after_request
    def finish(response):
        quiet = request.path == "/health"
        log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={
            "method": request.method, "path": request.path, "status": response.status_code, "client": request.remote_addr,
            "duration_ms": round((time.perf_counter() - g.started) * 1000, 1), "request_id": request.headers.get("X-Request-Id"),
        })
        return response

    @app.errorhandler(Exception)
    def answer(error):
        if isinstance(error, ApiError):
            status, code, message = error.args
        elif isinstance(error, HTTPException):
            status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
        else:
            log.exception("unhandled error")
            status, code, message = 500, "internal_error", "something went wrong on our side"
        return jsonify(error={"code": code, "message": message}), status

    log.info("started", extra={"node": node, "drained": drained})
    return app


def argument(name, pattern, default=None):
    value = request.args.get(name, default)
    if value is None or not re.fullmatch(pattern, value):
        raise ApiError(422, "invalid_request", f"{name} is missing or malformed")
    return value


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
