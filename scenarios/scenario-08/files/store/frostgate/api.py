"""What goes over the wire: devices, rooms and readings, errors that are answers, log lines."""

import json
import logging
from datetime import datetime, timezone

from flask import Blueprint, current_app, jsonify, request

blueprint = Blueprint("api", __name__)

DEVICES = """
    SELECT d.name, d.class, r.code AS room, d.settings, d.installed_on::text, last.value AS last_value,
           last.received_at::text AS last_seen,
           coalesce(last.received_at < now() - make_interval(secs => %(silent)s), true) AS silent
    FROM devices d JOIN rooms r ON r.id = d.room_id
    LEFT JOIN LATERAL (SELECT value, received_at FROM readings WHERE device_id = d.id ORDER BY id DESC LIMIT 1) last ON true
    WHERE d.name = coalesce(%(name)s, d.name) ORDER BY d.name
"""


class ApiError(Exception):
    """An HTTP status, a stable code, and a sentence for people."""


def query(sql, values=()):
    with current_app.extensions["pool"].transaction() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def devices(name=None):
    return query(DEVICES, {"name": name, "silent": current_app.config["SILENT_AFTER"]})


def device(name):
    found = devices(name)
    if not found:
        raise ApiError(404, "not_found", "no such device")
    return found[0]


@blueprint.get("/health")
def health():
    query("SELECT 1 FROM devices LIMIT 1")
    connected = current_app.extensions["consumer"].connected
    answer = jsonify(status="ok" if connected else "degraded", database="ok", broker="ok" if connected else "not connected")
    return answer, 200 if connected else 503


@blueprint.get("/api/devices")
def all_devices():
    items = devices()
    return jsonify(items=items, silent=[item["name"] for item in items if item["silent"]])


@blueprint.get("/api/devices/<name>")
def one_device(name):
    return jsonify(device(name))


@blueprint.get("/api/devices/<name>/readings")
def readings(name):
    limit = request.args.get("limit", "20")
    if not limit.isdecimal() or not 1 <= int(limit) <= 500:
        raise ApiError(422, "invalid_request", "limit has to be a whole number from 1 to 500")
    device(name)
    return jsonify(items=query("""
        SELECT r.message_id, r.value::float, r.battery_percent, r.measured_at::text, r.received_at::text
        FROM readings r JOIN devices d ON d.id = r.device_id WHERE d.name = %s ORDER BY r.id DESC LIMIT %s""", (name, int(limit))))


@blueprint.put("/api/devices/<name>/settings")
def change_settings(name):
    data = request.get_json(silent=True)
    interval = data.get("interval_s") if isinstance(data, dict) else None
    if type(interval) is not int or not 5 <= interval <= 3600:
        raise ApiError(422, "invalid_request", "interval_s has to be a whole number from 5 to 3600")
    known = device(name)
    query("UPDATE devices SET settings = settings || %s WHERE name = %s RETURNING id", (json.dumps({"interval_s": interval}), name))
    current_app.extensions["consumer"].send_settings(known["class"], name, known["settings"] | {"interval_s": interval})
    return jsonify(device(name))


@blueprint.get("/api/rooms")
def rooms():
    return jsonify(items=query("""
        SELECT r.code, r.name, r.target_celsius::float, count(d.id) AS devices FROM rooms r LEFT JOIN devices d ON d.room_id = r.id
        GROUP BY r.id ORDER BY r.code"""))


class JsonFormatter(logging.Formatter):
    standard = {*vars(logging.makeLogRecord({})), "message"}

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "pid": record.process,
            "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in self.standard},
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)
