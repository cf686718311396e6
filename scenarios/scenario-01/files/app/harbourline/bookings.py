"""Bookings: created pending, then paid or cancelled. Seats are counted under a row lock
of the sailing, and the client's own reference makes a repeated request harmless."""

import secrets

from flask import Blueprint, current_app, jsonify
from psycopg2.errors import UniqueViolation

from .api import ApiError, body, integer, text
from .db import fetch_one, transaction

blueprint = Blueprint("bookings", __name__, url_prefix="/api/bookings")
SELECT = """
    SELECT b.reference, b.client_reference, s.code AS sailing, b.passenger_name, b.email,
           b.seats, b.amount_cents, b.status, b.created_at::text
    FROM bookings b JOIN sailings s ON s.id = b.sailing_id
"""


@blueprint.get("/<reference>")
def one(reference):
    with transaction() as cursor:
        return jsonify(find(cursor, reference))


@blueprint.post("")
def create():
    data = body()
    wanted = {
        "client_reference": text(data, "client_reference", r"[\w.-]{8,64}"),
        "sailing": text(data, "sailing", r"\w{1,16}"),
        "passenger_name": text(data, "passenger_name", r"\S[^\r\n]{0,119}"),
        "email": text(data, "email", r"[^@\s]{1,64}@[^@\s]{1,190}"),
        "seats": integer(data, "seats", 1, current_app.config["MAX_SEATS"]),
    }
    try:
        with transaction() as cursor:
            booking, status = create_once(cursor, wanted)
    except UniqueViolation:
        raise ApiError(409, "client_reference_used", "another booking has this client_reference") from None
    return jsonify(booking), status


def create_once(cursor, wanted):
    sailing = fetch_one(cursor, """
        SELECT id, price_cents, seats_left, status = 'open' AND departs_at > now() AS bookable
        FROM sailings WHERE code = %(sailing)s FOR UPDATE""", wanted)
    if sailing is None:
        raise ApiError(404, "not_found", "no such sailing")
    earlier = fetch_one(cursor, SELECT + "WHERE b.client_reference = %(client_reference)s", wanted)
    if earlier:
        if earlier | wanted != earlier:
            raise ApiError(409, "client_reference_used", "another booking has this client_reference")
        return earlier, 200
    if not sailing["bookable"]:
        raise ApiError(409, "sailing_closed", "this sailing can no longer be booked")
    if sailing["seats_left"] < wanted["seats"]:
        raise ApiError(409, "sold_out", f"only {sailing['seats_left']} seats are left")
    reference = "HB-" + secrets.token_hex(4).upper()
    cursor.execute("UPDATE sailings SET seats_left = seats_left - %s WHERE id = %s", (wanted["seats"], sailing["id"]))
    cursor.execute("""
        INSERT INTO bookings
            (reference, client_reference, sailing_id, passenger_name, email, seats, amount_cents)
        VALUES (%(reference)s, %(client_reference)s, %(id)s, %(passenger_name)s, %(email)s,
            %(seats)s, %(price_cents)s * %(seats)s)""", {**sailing, **wanted, "reference": reference})
    return find(cursor, reference), 201


@blueprint.post("/<reference>/pay")
def pay(reference):
    method = text(body(), "method", "card|invoice|voucher")
    with transaction() as cursor:
        status = find(cursor, reference, lock=True)["status"]
        if status == "cancelled":
            raise ApiError(409, "booking_cancelled", "a cancelled booking cannot be paid")
        if status == "pending":
            cursor.execute("""
                WITH paid AS (UPDATE bookings SET status = 'paid', updated_at = now()
                              WHERE reference = %s RETURNING id, amount_cents)
                INSERT INTO payments (booking_id, amount_cents, method) SELECT id, amount_cents, %s FROM paid
                """, (reference, method))
        return jsonify(find(cursor, reference))


@blueprint.post("/<reference>/cancel")
def cancel(reference):
    with transaction() as cursor:
        status = find(cursor, reference, lock=True)["status"]
        if status == "paid":
            raise ApiError(409, "booking_paid", "paid bookings are refunded by the service desk")
        if status == "pending":
            cursor.execute("""
                WITH dropped AS (UPDATE bookings SET status = 'cancelled', updated_at = now()
                                 WHERE reference = %s RETURNING sailing_id, seats)
                UPDATE sailings s SET seats_left = seats_left + d.seats FROM dropped d WHERE s.id = d.sailing_id
                """, (reference,))
        return jsonify(find(cursor, reference))


def find(cursor, reference, lock=False):
    booking = fetch_one(cursor, SELECT + "WHERE b.reference = %s" + " FOR UPDATE OF b" * lock, (reference,))
    if booking is None:
        raise ApiError(404, "not_found", "no such booking")
    return booking
