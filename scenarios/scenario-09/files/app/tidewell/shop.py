"""The shop's API: orders are kept, handed to the broker, and followed until the ledger has booked them."""

import logging
import os
import re
import secrets
import time
import tomllib

from flask import Flask, current_app, g, jsonify, request
from werkzeug.exceptions import HTTPException

from .db import DatabaseUnavailable, Pool
from .publisher import BrokerUnavailable, Publisher

log = logging.getLogger("tidewell.shop")
PRICES = {"lamp": 4900, "kettle": 3450, "blanket": 6200, "vase": 2750, "clock": 8900}


class ApiError(Exception):
    """An HTTP status, a stable code, and a sentence for people."""


def create_app(path="/etc/tidewell/api.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = Flask("tidewell", static_folder=None)
    app.json.sort_keys = False
    app.config["MAX_CONTENT_LENGTH"] = 16384
    app.extensions["pool"] = Pool(4, password=os.environ["TIDEWELL_DB_PASSWORD"], application_name="shop", **settings["database"])
    app.extensions["publisher"] = Publisher(password=os.environ["TIDEWELL_MQ_PASSWORD"], **settings["broker"])
    app.add_url_rule("/health", view_func=health)
    app.add_url_rule("/api/orders", view_func=create, methods=["POST"])
    app.add_url_rule("/api/orders/<order_id>", view_func=one)
    app.add_url_rule("/api/backlog", view_func=backlog)
    app.before_request(start_request)
    app.after_request(finish_request)
    app.register_error_handler(Exception, answer_error)
    return app


def query(sql, values=()):
    with current_app.extensions["pool"].transaction() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def health():
    query("SELECT 1 FROM orders LIMIT 1")
    return jsonify(status="ok", database="ok")


def create():
    data = request.get_json(silent=True)
    if not isinstance(data, dict) or data.get("item") not in PRICES:
        raise ApiError(422, "invalid_request", "item is missing or unknown")
    if type(data.get("quantity")) is not int or not 1 <= data["quantity"] <= 20:
        raise ApiError(422, "invalid_request", "quantity has to be a whole number from 1 to 20")
    if not isinstance(data.get("customer"), str) or not re.fullmatch(r"\S[^\r\n]{0,119}", data["customer"]):
        raise ApiError(422, "invalid_request", "customer is missing or malformed")
    order = {"order_id": "SH-" + secrets.token_hex(8), "source": "shop", "item": data["item"], "quantity": data["quantity"],
             "amount_cents": data["quantity"] * PRICES[data["item"]], "customer": data["customer"]}
    with current_app.extensions["pool"].transaction() as cursor:
        cursor.execute("""INSERT INTO orders (order_id, item, quantity, amount_cents, customer)
                          VALUES (%(order_id)s, %(item)s, %(quantity)s, %(amount_cents)s, %(customer)s)""", order)
        current_app.extensions["publisher"].publish("order.shop", order)
    return jsonify(order_id=order["order_id"], amount_cents=order["amount_cents"], status="accepted"), 202


def one(order_id):
    found = query("""SELECT o.order_id, o.item, o.quantity, o.amount_cents, o.customer, o.accepted_at::text, l.booked_at::text
                     FROM orders o LEFT JOIN ledger l USING (order_id) WHERE o.order_id = %s""", (order_id,))
    if not found:
        raise ApiError(404, "not_found", "no such order")
    return jsonify(found[0] | {"status": "booked" if found[0]["booked_at"] else "accepted"})


def backlog():
    return jsonify(query("""SELECT count(*) AS waiting, min(o.accepted_at)::text AS oldest
                            FROM orders o LEFT JOIN ledger l USING (order_id) WHERE l.order_id IS NULL""")[0])


def start_request():
    g.started = time.perf_counter()


def finish_request(response):
    log.log(logging.DEBUG if request.path == "/health" and response.status_code < 400 else logging.INFO, "request", extra={
        "method": request.method, "path": request.path, "status": response.status_code,
        "duration_ms": round((time.perf_counter() - g.started) * 1000, 1)})
    return response


def answer_error(error):
    if isinstance(error, ApiError):
        status, code, message = error.args
    elif isinstance(error, HTTPException):
        status, code, message = error.code, error.name.lower().replace(" ", "_"), error.description
    elif isinstance(error, (DatabaseUnavailable, BrokerUnavailable)):
        log.error("unavailable", extra={"what": type(error).__name__, "reason": str(error)})
        status, code, message = 503, "unavailable", "please try again in a moment"
    else:
        log.exception("unhandled error")
        status, code, message = 500, "internal_error", "something went wrong on our side"
    return jsonify(error={"code": code, "message": message}), status
