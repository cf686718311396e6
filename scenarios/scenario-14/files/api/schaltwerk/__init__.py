"""Schaltwerk: feature flags and a registry of instances as JSON over HTTP, kept in etcd."""

import hashlib
import logging
import os
import time
import tomllib
import uuid

from flask import Flask, current_app, g, jsonify, request
from werkzeug.exceptions import HTTPException

from .api import ApiError, body, integer, invalid, query_integer, text
from .store import Store, StoreRefused, StoreUnavailable, is_absent, put

log = logging.getLogger("schaltwerk")
ROOT = "/schaltwerk"


def create_app(path="/etc/schaltwerk/api.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("schaltwerk", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["service"]["max_body_bytes"]
    app.extensions["store"] = Store(password=os.environ["SCHALTWERK_ETCD_PASSWORD"], **settings["etcd"])
    for rule, method, view in (
        ("/health", "GET", health), ("/api/flags", "GET", flags), ("/api/flags/<name>", "GET", flag),
        ("/api/flags/<name>", "PUT", change_flag), ("/api/flags/<name>/history", "GET", history),
        ("/api/evaluate/<name>", "GET", evaluate), ("/api/instances", "GET", instances), ("/api/instances", "POST", register),
    ):
        app.add_url_rule(rule, f"{method} {rule}", view, methods=[method])
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def store():
    return current_app.extensions["store"]


def shown(entry):
    return {"flag": entry["key"].rsplit("/", 1)[1], **entry["value"], "revision": entry["revision"]}


def health():
    meta = store().read(f"{ROOT}/meta")
    if not meta:
        raise ApiError(503, "store_empty", "the store has no flags")
    return jsonify(status="ok", store="ok", schema=meta[0]["value"]["schema"])


def flags():
    team = request.args.get("team", "")
    return jsonify(items=[shown(entry) for entry in store().read(f"{ROOT}/flags/{team}", prefix=True, limit=query_integer("limit", 100, 1, 500))])


def find(name):
    found = store().read(f"{ROOT}/flags/{name}")
    if not found:
        raise ApiError(404, "not_found", "no such flag")
    return found[0]


def flag(name):
    return jsonify(shown(find(name)))


def change_flag(name):
    """The change's own id makes a repeated request harmless: flag and history are written together, once."""
    data = body()
    name = text({"name": name}, "name", r"[a-z]{2,16}\.[a-z0-9-]{2,40}")
    if type(data.get("enabled")) is not bool:
        raise invalid("enabled has to be true or false")
    change = text(data, "change", r"[\w-]{6,64}") if "change" in data else uuid.uuid4().hex
    value = {"enabled": data["enabled"], "percent": integer(data, "percent", 0, 100), "note": text(data, "note", r"[^\r\n]{0,200}"), "change": change}
    log_key = f"{ROOT}/history/{name}/{change}"
    answer = store().commit([is_absent(log_key)], [put(f"{ROOT}/flags/{name}", value), put(log_key, {**value, "at": int(time.time())})])
    return jsonify(flag=name, **value, revision=int(answer["header"]["revision"])), 200


def history(name):
    entries = store().read(f"{ROOT}/history/{name}/", prefix=True, limit=200)
    return jsonify(items=[{**entry["value"], "revision": entry["revision"]} for entry in sorted(entries, key=lambda entry: entry["revision"])])


def evaluate(name):
    """The same user always falls on the same side."""
    value, user = find(name)["value"], request.args.get("user", "")
    share = int(hashlib.sha256(f"{name}:{user}".encode()).hexdigest()[:8], 16) % 100
    return jsonify(flag=name, user=user, on=value["enabled"] and share < value["percent"])


def instances():
    return jsonify(items=[entry["value"] for entry in store().read(f"{ROOT}/instances/", prefix=True, limit=500)])


def register():
    """An instance is there for as long as it says, and then has to say so again."""
    data = body()
    service, address = text(data, "service", r"[a-z][a-z0-9-]{1,30}"), text(data, "address", r"[\w.:-]{3,80}")
    seconds = integer(data, "ttl_seconds", 5, 600)
    value = {"service": service, "address": address, "ttl_seconds": seconds}
    store().commit([], [put(f"{ROOT}/instances/{service}/{address}", value, store().lease(seconds))])
    return jsonify(value), 201


def start_request():
    g.started = time.perf_counter()
    g.request_id = request.headers.get("X-Request-Id") or uuid.uuid4().hex


def finish_request(response):
    response.headers["X-Request-Id"] = g.request_id
    if request.path != "/health" or response.status_code != 200:
        log.info("request", extra={
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
    elif isinstance(error, StoreRefused):
        log.error("store refused", extra={"reason": str(error), "request_id": g.request_id})
        status, code, message = 502, "store_refused", "the store does not let us"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status
