"""Stations and their docks. Every dock sends a beacon: that it is there, and which bike it holds."""

from flask import Blueprint, jsonify

from .api import ApiError, body, integer, text
from .db import fetch_one, transaction

blueprint = Blueprint("stations", __name__, url_prefix="/api")


@blueprint.get("/stations")
def stations():
    with transaction() as cursor:
        cursor.execute("""
            SELECT s.code, s.name, count(d.id) AS docks, count(d.bike) AS bikes, max(d.seen_at)::text AS seen_at
            FROM stations s JOIN docks d ON d.station_id = s.id GROUP BY s.id ORDER BY s.code""")
        return jsonify(items=cursor.fetchall())


@blueprint.get("/stations/<code>/docks")
def docks(code):
    with transaction() as cursor:
        cursor.execute("""
            SELECT d.code, d.bike, d.battery_percent, d.seen_at::text FROM docks d JOIN stations s ON s.id = d.station_id
            WHERE s.code = %s ORDER BY d.code""", (code,))
        found = cursor.fetchall()
    if not found:
        raise ApiError(404, "not_found", "no such station")
    return jsonify(items=found)


@blueprint.post("/docks/<code>/beacon")
def beacon(code):
    data = body()
    battery = integer(data, "battery_percent", 0, 100)
    bike = None if data.get("bike") is None else text(data, "bike", r"V[0-9]{4}")
    with transaction() as cursor:
        dock = fetch_one(cursor, """
            UPDATE docks SET bike = %s, battery_percent = %s, seen_at = now() WHERE code = %s
            RETURNING code, bike, battery_percent, seen_at::text""", (bike, battery, code))
    if dock is None:
        raise ApiError(404, "not_found", "no such dock")
    return jsonify(dock)
