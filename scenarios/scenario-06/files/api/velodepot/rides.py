"""Rides: begun at one station, ended at another, paid by the minute. The customer's own reference
makes a repeated order harmless."""

from flask import Blueprint, current_app, jsonify

from .api import ApiError, body, query_integer, text
from .db import fetch_one, transaction

blueprint = Blueprint("rides", __name__, url_prefix="/api/rides")
SELECT = """
    SELECT r.id, r.client_reference, r.rider, r.bike, f.code AS begun_at_station, t.code AS ended_at_station,
           r.price_cents, r.begun_at::text, r.ended_at::text
    FROM rides r JOIN stations f ON f.id = r.from_station LEFT JOIN stations t ON t.id = r.to_station
"""


@blueprint.get("")
def recent():
    with transaction() as cursor:
        cursor.execute(SELECT + "ORDER BY r.id DESC LIMIT %s", (query_integer("limit", 20, 1, 200),))
        return jsonify(items=cursor.fetchall())


@blueprint.post("")
def begin():
    data = body()
    values = {
        "reference": text(data, "client_reference", r"[\w.-]{8,64}"),
        "rider": text(data, "rider", r"\S[^\r\n]{0,79}"),
        "bike": text(data, "bike", r"V[0-9]{4}"),
        "station": text(data, "station", r"[A-Z]{3}"),
    }
    with transaction() as cursor:
        added = fetch_one(cursor, """
            INSERT INTO rides (client_reference, rider, bike, from_station)
            SELECT %(reference)s, %(rider)s, %(bike)s, id FROM stations WHERE code = %(station)s
            ON CONFLICT (client_reference) DO NOTHING RETURNING id""", values)
        ride = fetch_one(cursor, SELECT + "WHERE r.client_reference = %s", (values["reference"],))
    if ride is None:
        raise ApiError(404, "not_found", "no such station")
    if (ride["rider"], ride["bike"]) != (values["rider"], values["bike"]):
        raise ApiError(409, "client_reference_used", "another ride has this client_reference")
    return jsonify(ride), 201 if added else 200


@blueprint.get("/<int:number>")
def one(number):
    with transaction() as cursor:
        return jsonify(find(cursor, number))


@blueprint.post("/<int:number>/end")
def end(number):
    station, service = text(body(), "station", r"[A-Z]{3}"), current_app.config["SETTINGS"]["service"]
    with transaction() as cursor:
        if find(cursor, number, lock=True)["ended_at"]:
            raise ApiError(409, "already_ended", "this ride has ended already")
        ended = fetch_one(cursor, """
            UPDATE rides SET to_station = s.id, ended_at = now(),
                   price_cents = %s + %s * ceil(extract(epoch FROM now() - begun_at) / 60)
            FROM stations s WHERE s.code = %s AND rides.id = %s RETURNING rides.id""",
            (service["price_start_cents"], service["price_minute_cents"], station, number))
        if ended is None:
            raise ApiError(404, "not_found", "no such station")
        return jsonify(find(cursor, number))


def find(cursor, number, lock=False):
    ride = fetch_one(cursor, SELECT + "WHERE r.id = %s" + " FOR UPDATE OF r" * lock, (number,))
    if ride is None:
        raise ApiError(404, "not_found", "no such ride")
    return ride
