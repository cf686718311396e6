"""A customer's journal: what was booked, and what it adds up to. Also says whose request it is."""

import hashlib
import re

from flask import Blueprint, abort, jsonify, request

from .db import fetch_one, transaction

blueprint = Blueprint("journal", __name__, url_prefix="/api")


def customer(cursor):
    """The customer whose token the request carries."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    found = scheme.lower() == "bearer" and fetch_one(
        cursor, "SELECT id, slug, name FROM customers WHERE token_sha256 = %s", (hashlib.sha256(token.strip().encode()).hexdigest(),))
    if not found:
        abort(401, "a valid token is needed")
    return found


def limit(default, highest):
    raw = request.args.get("limit", str(default))
    if not re.fullmatch("[0-9]{1,6}", raw) or not 1 <= int(raw) <= highest:
        abort(422, f"limit has to be a number from 1 to {highest}")
    return int(raw)


def text(data, field, pattern):
    value = data.get(field) if isinstance(data, dict) else None
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        abort(422, f"{field} is missing or malformed")
    return value


def integer(data, field, lowest, highest):
    value = data.get(field) if isinstance(data, dict) else None
    if type(value) is not int or not lowest <= value <= highest:
        abort(422, f"{field} has to be a whole number from {lowest} to {highest}")
    return value


@blueprint.get("/journal")
def latest():
    with transaction() as cursor:
        owner = customer(cursor)
        cursor.execute("""
            SELECT id, booked_on::text, voucher, account, contra, amount_cents, text
            FROM entries WHERE customer_id = %s ORDER BY id DESC LIMIT %s""", (owner["id"], limit(20, 500)))
        return jsonify(customer=owner["slug"], items=cursor.fetchall())


@blueprint.get("/summary")
def summary():
    with transaction() as cursor:
        owner = customer(cursor)
        cursor.execute("""
            SELECT account, count(*) AS entries, sum(amount_cents)::bigint AS amount_cents
            FROM entries WHERE customer_id = %s GROUP BY account ORDER BY account""", (owner["id"],))
        return jsonify(customer=owner["slug"], accounts=cursor.fetchall())


@blueprint.post("/entries")
def book():
    data = request.get_json(silent=True)
    entry = {
        "voucher": text(data, "voucher", r"[\w.-]{4,40}"),
        "text": text(data, "text", r"\S[^\r\n]{0,199}"),
        "account": integer(data, "account", 1000, 9999),
        "contra": integer(data, "contra", 1000, 9999),
        "amount_cents": integer(data, "amount_cents", -10**12, 10**12),
    }
    with transaction() as cursor:
        entry["customer_id"] = customer(cursor)["id"]
        made = fetch_one(cursor, """
            INSERT INTO entries (customer_id, booked_on, voucher, account, contra, amount_cents, text)
            VALUES (%(customer_id)s, current_date, %(voucher)s, %(account)s, %(contra)s, %(amount_cents)s, %(text)s)
            RETURNING id, booked_on::text, voucher, account, contra, amount_cents, text""", entry)
        return jsonify(made), 201
