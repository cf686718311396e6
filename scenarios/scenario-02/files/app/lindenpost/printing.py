"""The printing house's side: what waits, what is in it, and that it is done. Needs the house's token."""

import hmac

from flask import Blueprint, Response, current_app, jsonify, request

from .api import ApiError, query_integer
from .db import transaction
from .letters import find

blueprint = Blueprint("printing", __name__, url_prefix="/print")


@blueprint.before_request
def check_token():
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {current_app.config['PRINT_TOKEN']}".encode()):
        raise ApiError(401, "unauthorized", "a valid token is needed")


@blueprint.get("/queue")
def queue():
    limit = query_integer("limit", 50, 1, 500)
    with transaction() as cursor:
        cursor.execute("""
            SELECT number AS letter, pages, sha256, created_at::text FROM letters
            WHERE status = 'queued' ORDER BY created_at, id LIMIT %s""", (limit,))
        return jsonify(items=cursor.fetchall())


@blueprint.get("/letters/<number>")
def content(number):
    found = current_app.extensions["outbox"].read(number) if number.replace("-", "").isalnum() else None
    if found is None:
        raise ApiError(404, "not_found", "this letter is not in the outbox")
    return Response(found, mimetype="application/json")


@blueprint.post("/letters/<number>/printed")
def printed(number):
    with transaction() as cursor:
        if find(cursor, number, lock=True)["status"] == "queued":
            cursor.execute("UPDATE letters SET status = 'printed', printed_at = now() WHERE number = %s", (number,))
        letter = find(cursor, number)
    current_app.extensions["outbox"].remove(number)
    return jsonify(letter)
