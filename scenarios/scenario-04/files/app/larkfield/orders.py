"""Items and orders. The client's own reference makes a repeated order harmless; the database notes who took it."""

import secrets

from flask import Blueprint, current_app, jsonify, request

from .api import ApiError, body, integer, text
from .db import fetch_one, transaction

blueprint = Blueprint("orders", __name__, url_prefix="/api")
SELECT = """
    SELECT o.reference, o.client_reference, i.sku, o.quantity, o.amount_cents, o.customer, o.email, o.status,
           o.taken_by, o.created_at::text
    FROM orders o JOIN items i ON i.id = o.item_id
"""


def prices():
    return current_app.extensions["prices"].all()


def item(sku):
    found = prices().get(sku)
    if found is None:
        raise ApiError(404, "not_found", "no such item")
    return found


@blueprint.get("/items")
def items():
    kind = request.args.get("kind")
    return jsonify(items=[entry for entry in prices().values() if kind in (None, entry["kind"])])


@blueprint.get("/items/<sku>")
def one_item(sku):
    return jsonify(item(sku))


@blueprint.get("/orders/<reference>")
def one_order(reference):
    with transaction() as cursor:
        return jsonify(find(cursor, reference))


@blueprint.post("/orders")
def create():
    data = body()
    wanted = {
        "client_reference": text(data, "client_reference", r"[\w.-]{8,64}"),
        "sku": text(data, "sku", r"[\w-]{1,24}"),
        "customer": text(data, "customer", r"\S[^\r\n]{0,119}"),
        "email": text(data, "email", r"[^@\s]{1,64}@[^@\s]{1,190}"),
        "quantity": integer(data, "quantity", 1, current_app.config["MAX_QUANTITY"]),
    }
    amount = item(wanted["sku"])["price_cents"] * wanted["quantity"]
    with transaction() as cursor:
        new = fetch_one(cursor, """
            INSERT INTO orders (reference, client_reference, item_id, quantity, amount_cents, customer, email)
            SELECT %(reference)s, %(client_reference)s, id, %(quantity)s, %(amount)s, %(customer)s, %(email)s
            FROM items WHERE sku = %(sku)s
            ON CONFLICT (client_reference) DO NOTHING RETURNING reference
            """, {**wanted, "amount": amount, "reference": "LF-" + secrets.token_hex(5).upper()})
        order = fetch_one(cursor, SELECT + "WHERE o.client_reference = %(client_reference)s", wanted)
    if order | wanted != order:
        raise ApiError(409, "client_reference_used", "another order has this client_reference")
    return jsonify(order), 201 if new else 200


@blueprint.post("/orders/<reference>/cancel")
def cancel(reference):
    with transaction() as cursor:
        if find(cursor, reference)["status"] == "sent":
            raise ApiError(409, "order_sent", "an order that was sent cannot be cancelled")
        cursor.execute("UPDATE orders SET status = 'cancelled' WHERE reference = %s AND status = 'open'", (reference,))
        return jsonify(find(cursor, reference))


def find(cursor, reference):
    order = fetch_one(cursor, SELECT + "WHERE o.reference = %s", (reference,))
    if order is None:
        raise ApiError(404, "not_found", "no such order")
    return order
