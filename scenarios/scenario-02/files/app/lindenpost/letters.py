"""Letters: ordered from a preview, written to the outbox, printed by the printing house. The
customer's own reference makes a repeated order harmless."""

import hashlib
import json
import secrets

from flask import Blueprint, current_app, jsonify
from psycopg2.errors import UniqueViolation

from .api import ApiError, body, text
from .db import fetch_one, transaction
from .previews import find as find_preview

blueprint = Blueprint("letters", __name__, url_prefix="/api/letters")
SELECT = """
    SELECT number AS letter, client_reference, sender, recipient, pages, price_cents, sha256, status,
           created_at::text, printed_at::text
    FROM letters
"""


@blueprint.post("")
def create():
    data = body()
    reference = text(data, "client_reference", r"[\w.-]{8,64}")
    preview = find_preview(text(data, "preview", r"[0-9a-f]{8,64}"))
    try:
        with transaction() as cursor:
            letter, status = create_once(cursor, reference, preview)
    except UniqueViolation:
        raise ApiError(409, "client_reference_used", "another letter has this client_reference") from None
    return jsonify(letter), status


def create_once(cursor, reference, preview):
    earlier = fetch_one(cursor, SELECT + "WHERE client_reference = %s", (reference,))
    if earlier:
        if (earlier["sender"], earlier["recipient"]) != (preview["sender"], preview["recipient"]):
            raise ApiError(409, "client_reference_used", "another letter has this client_reference")
        return earlier, 200
    number = "LP-" + secrets.token_hex(5).upper()
    content = json.dumps({"letter": number, **{key: preview[key] for key in ("sender", "recipient", "address", "text", "pages")}}).encode()
    cursor.execute("""
        INSERT INTO letters (number, client_reference, sender, recipient, pages, price_cents, sha256)
        VALUES (%s, %s, %s, %s, %s, %s, %s)""", (
        number, reference, preview["sender"], preview["recipient"], preview["pages"], preview["price_cents"],
        hashlib.sha256(content).hexdigest()))
    current_app.extensions["outbox"].write(number, content)
    return find(cursor, number), 201


@blueprint.get("/<number>")
def one(number):
    with transaction() as cursor:
        return jsonify(find(cursor, number))


def find(cursor, number, lock=False):
    letter = fetch_one(cursor, SELECT + "WHERE number = %s" + " FOR UPDATE" * lock, (number,))
    if letter is None:
        raise ApiError(404, "not_found", "no such letter")
    return letter
