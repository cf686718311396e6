"""Exports of a whole journal as CSV. They are ordered here, made by the worker, and fetched here."""

import secrets
import zlib

from flask import Blueprint, Response, abort, current_app, jsonify, request

from .db import fetch_one, transaction
from .journal import customer, limit, text

blueprint = Blueprint("exports", __name__, url_prefix="/api/exports")
SELECT = """
    SELECT id, reference, client_reference, status, rows_expected, rows_written, sha256, error,
           requested_at::text, started_at::text, finished_at::text
    FROM exports
"""


def shown(export):
    return {key: value for key, value in export.items() if key != "id"}


@blueprint.post("")
def order():
    reference = text(request.get_json(silent=True), "client_reference", r"[\w.-]{8,64}")
    with transaction() as cursor:
        owner = customer(cursor)
        cursor.execute("""
            INSERT INTO exports (reference, client_reference, customer_id) VALUES (%s, %s, %s)
            ON CONFLICT (customer_id, client_reference) DO NOTHING""", ("EX-" + secrets.token_hex(5).upper(), reference, owner["id"]))
        status = 202 if cursor.rowcount else 200
        export = fetch_one(cursor, SELECT + "WHERE customer_id = %s AND client_reference = %s", (owner["id"], reference))
        return jsonify(shown(export)), status


@blueprint.get("")
def recent():
    with transaction() as cursor:
        cursor.execute(SELECT + "WHERE customer_id = %s ORDER BY id DESC LIMIT %s", (customer(cursor)["id"], limit(20, 200)))
        return jsonify(items=[shown(export) for export in cursor.fetchall()])


def find(cursor, reference):
    return fetch_one(cursor, SELECT + "WHERE customer_id = %s AND reference = %s", (customer(cursor)["id"], reference)) or abort(
        404, "no such export")


@blueprint.get("/<reference>")
def one(reference):
    with transaction() as cursor:
        return jsonify(shown(find(cursor, reference)))


@blueprint.get("/<reference>/file")
def file(reference):
    """Whatever is there of an export, part by part; its state is told beside it."""
    with transaction() as cursor:
        export = find(cursor, reference)
        if export["status"] in ("queued", "running"):
            abort(409, "this export is not finished")
        cursor.execute("SELECT seq FROM export_parts WHERE export_id = %s ORDER BY seq", (export["id"],))
        parts = [row["seq"] for row in cursor.fetchall()]
    pool = current_app.extensions["pool"]

    def content():
        for seq in parts:
            with pool.transaction() as cursor:
                row = fetch_one(cursor, "SELECT content FROM export_parts WHERE export_id = %s AND seq = %s", (export["id"], seq))
            yield zlib.decompress(row["content"])

    return Response(content(), mimetype="text/csv", headers={
        "Content-Disposition": f'attachment; filename="{export["reference"]}.csv"', "X-Export-Status": export["status"]})
