"""The API: shipments, their labels, manifests, and how long the queue is."""

import logging
import os
import secrets
import time
import uuid
from datetime import datetime, timezone

from flask import Flask, Response, current_app, g, jsonify, request
from psycopg2.errors import UniqueViolation
from werkzeug.exceptions import HTTPException

from .api import ApiError, body, integer, invalid, query_integer, text
from .db import DatabaseUnavailable, Pool, fetch_one
from .settings import load

log = logging.getLogger("nordkai.web")
SELECT = """
    SELECT s.number AS shipment, s.client_reference, d.code AS depot, s.recipient, s.address, s.grams, s.status,
           s.ready_at::text, s.created_at::text, 'M' || m.id AS manifest
    FROM shipments s JOIN depots d ON d.id = s.depot_id
    LEFT JOIN manifest_lines l ON l.shipment_id = s.id LEFT JOIN manifests m ON m.id = l.manifest_id
"""


def create_app(path=os.environ.get("NORDKAI_CONFIG", "/etc/nordkai/nordkai.toml")):
    settings = load(path)
    app = Flask("nordkai", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = settings["api"]["max_body_bytes"]
    app.config["MOST"] = settings["api"]["max_batch"]
    app.extensions["pool"] = Pool("api", **settings["database"])
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    for rule, method, view in (
        ("/health", "GET", health), ("/api/depots", "GET", depots), ("/api/queue", "GET", queue),
        ("/api/shipments", "POST", create), ("/api/shipments/batch", "POST", create_batch),
        ("/api/shipments/<number>", "GET", one), ("/api/shipments/<number>/label", "GET", label),
        ("/api/manifests", "GET", manifests), ("/api/manifests/<number>", "GET", manifest),
    ):
        app.add_url_rule(rule, f"{method} {rule}", view, methods=[method])
    return app


def transaction():
    return current_app.extensions["pool"].transaction()


def health():
    with transaction() as cursor:
        cursor.execute("SELECT 1 FROM depots LIMIT 1")
    return jsonify(status="ok", database="ok")


def depots():
    with transaction() as cursor:
        cursor.execute("SELECT code, name FROM depots ORDER BY code")
        return jsonify(items=cursor.fetchall())


def queue():
    with transaction() as cursor:
        return jsonify(fetch_one(cursor, """
            SELECT count(*) FILTER (WHERE status = 'ordered') AS without_label,
                   count(*) FILTER (WHERE status = 'labelled') AS without_manifest,
                   coalesce(round(extract(epoch FROM now() - min(ready_at))), 0)::int AS oldest_seconds
            FROM shipments WHERE status <> 'dispatched' AND ready_at <= now()"""))


def moment(data):
    value = data.get("ready_at")
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise invalid("ready_at is malformed") from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)


def order(data):
    if not isinstance(data, dict):
        raise invalid("an item is no object")
    return {
        "reference": text(data, "client_reference", r"[\w.-]{8,64}"), "depot": text(data, "depot", r"[A-Z]{3}"),
        "recipient": text(data, "recipient", r"\S[^\r\n]{0,79}"), "address": text(data, "address", r"\S.{0,199}"),
        "grams": integer(data, "grams", 1, 31_500), "ready_at": moment(data),
    }


def take(orders):
    """All of them, or none; an order that was taken before is answered as it was then."""
    try:
        with transaction() as cursor:
            taken = [take_one(cursor, entry) for entry in orders]
    except UniqueViolation:
        raise ApiError(409, "client_reference_used", "the same order is being taken at this moment") from None
    return [shipment for shipment, _ in taken], any(is_new for _, is_new in taken)


def take_one(cursor, entry):
    earlier = fetch_one(cursor, SELECT + "WHERE s.client_reference = %s", (entry["reference"],))
    if earlier:
        if (earlier["recipient"], earlier["grams"]) != (entry["recipient"], entry["grams"]):
            raise ApiError(409, "client_reference_used", "another shipment has this client_reference")
        return earlier, False
    depot = fetch_one(cursor, "SELECT id FROM depots WHERE code = %s", (entry["depot"],))
    if depot is None:
        raise ApiError(404, "not_found", "no such depot")
    number = f"NK{secrets.randbelow(10**12):012}"
    cursor.execute("""
        INSERT INTO shipments (number, client_reference, depot_id, recipient, address, grams, ready_at)
        VALUES (%s, %s, %s, %s, %s, %s, coalesce(%s, now()))""",
        (number, entry["reference"], depot["id"], entry["recipient"], entry["address"], entry["grams"], entry["ready_at"]))
    return fetch_one(cursor, SELECT + "WHERE s.number = %s", (number,)), True


def create():
    shipments, is_new = take([order(body())])
    return jsonify(shipments[0]), 201 if is_new else 200


def create_batch():
    items = body().get("items")
    if not isinstance(items, list) or not 1 <= len(items) <= current_app.config["MOST"]:
        raise invalid(f"items has to be a list of 1 to {current_app.config['MOST']} orders")
    shipments, is_new = take([order(item) for item in items])
    return jsonify(items=shipments), 201 if is_new else 200


def one(number):
    with transaction() as cursor:
        shipment = fetch_one(cursor, SELECT + "WHERE s.number = %s", (number,))
    if shipment is None:
        raise ApiError(404, "not_found", "no such shipment")
    return jsonify(shipment)


def label(number):
    with transaction() as cursor:
        found = fetch_one(cursor, "SELECT l.zpl FROM shipments s LEFT JOIN labels l ON l.shipment_id = s.id WHERE s.number = %s", (number,))
    if found is None:
        raise ApiError(404, "not_found", "no such shipment")
    if found["zpl"] is None:
        raise ApiError(409, "not_ready", "this shipment has no label yet")
    return Response(found["zpl"], mimetype="text/plain")


def manifests():
    limit = query_integer("limit", 20, 1, 200)
    with transaction() as cursor:
        cursor.execute("""
            SELECT 'M' || m.id AS manifest, d.code AS depot, count(*) AS parcels, m.created_at::text
            FROM manifests m JOIN depots d ON d.id = m.depot_id JOIN manifest_lines l ON l.manifest_id = m.id
            GROUP BY m.id, d.code ORDER BY m.id DESC LIMIT %s""", (limit,))
        return jsonify(items=cursor.fetchall())


def manifest(number):
    if not (number[:1] == "M" and number[1:].isdecimal() and len(number) < 12):
        raise ApiError(404, "not_found", "no such manifest")
    with transaction() as cursor:
        cursor.execute("""
            SELECT l.position, s.number AS shipment, s.recipient, s.grams FROM manifest_lines l
            JOIN shipments s ON s.id = l.shipment_id WHERE l.manifest_id = %s ORDER BY l.position""", (int(number[1:]),))
        lines = cursor.fetchall()
    if not lines:
        raise ApiError(404, "not_found", "no such manifest")
    return jsonify(manifest=number, lines=lines)


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
    elif isinstance(error, DatabaseUnavailable):
        log.error("database unavailable", extra={"reason": str(error), "request_id": g.request_id})
        status, code, message = 503, "database_unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error", extra={"request_id": g.request_id})
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message, "request_id": g.request_id}), status
