"""Payouts: queued here, booked by the worker. The merchant's own reference makes a repeated order harmless."""

from flask import Blueprint, current_app, jsonify
from psycopg2.errors import UniqueViolation

from .api import ApiError, body, integer, text
from .db import fetch_one, transaction

blueprint = Blueprint("payouts", __name__, url_prefix="/api")
SELECT = """
    SELECT p.reference, p.merchant, p.iban, p.amount_cents, p.callback_url, p.execute_at::text, p.status,
           e.period, e.entry_no, e.receipt_at::text
    FROM payouts p LEFT JOIN entries e ON e.payout_id = p.id
"""


@blueprint.post("/payouts")
def create():
    data = body()
    wanted = {
        "reference": text(data, "reference", r"[\w.-]{8,64}"),
        "merchant": text(data, "merchant", r"\S[^\r\n;]{0,79}"),
        "iban": text(data, "iban", r"[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}"),
        "amount_cents": integer(data, "amount_cents", 1, current_app.config["MAX_AMOUNT"]),
        "callback_url": None if data.get("callback_url") is None else text(data, "callback_url", r"http://[^\s;]{1,200}"),
    }
    try:
        with transaction() as cursor:
            earlier = fetch_one(cursor, SELECT + "WHERE p.reference = %(reference)s", wanted)
            if earlier is None:
                cursor.execute("""
                    INSERT INTO payouts (reference, merchant, iban, amount_cents, callback_url)
                    VALUES (%(reference)s, %(merchant)s, %(iban)s, %(amount_cents)s, %(callback_url)s)""", wanted)
            elif earlier | wanted != earlier:
                raise ApiError(409, "reference_used", "another payout has this reference")
            return jsonify(find(cursor, wanted["reference"])), 200 if earlier else 201
    except UniqueViolation:
        raise ApiError(409, "reference_used", "this reference is being used at the moment") from None


@blueprint.get("/payouts/<reference>")
def one(reference):
    with transaction() as cursor:
        return jsonify(find(cursor, reference))


@blueprint.get("/queue")
def queue():
    with transaction() as cursor:
        return jsonify(fetch_one(cursor, """
            SELECT count(*) FILTER (WHERE execute_at <= now()) AS due, count(*) FILTER (WHERE execute_at > now()) AS scheduled,
                   coalesce(extract(epoch FROM now() - min(execute_at) FILTER (WHERE execute_at <= now())), 0)::int AS oldest_seconds
            FROM payouts WHERE status <> 'booked'""", ()))


def find(cursor, reference):
    payout = fetch_one(cursor, SELECT + "WHERE p.reference = %s", (reference,))
    if payout is None:
        raise ApiError(404, "not_found", "no such payout")
    return payout
