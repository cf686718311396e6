"""Previews: what a letter will look like and cost. They live in the spool until they expire;
a letter is ordered by naming its preview."""

import json
import secrets
import time

from flask import Blueprint, current_app, jsonify

from .api import ApiError, body, integer, invalid, iso, text
from .db import fetch_one, transaction

blueprint = Blueprint("previews", __name__, url_prefix="/api")
CHARS_PER_PAGE = 1800


@blueprint.get("/tariffs")
def tariffs():
    with transaction() as cursor:
        cursor.execute("SELECT code, max_pages, price_cents FROM tariffs ORDER BY max_pages")
        return jsonify(items=cursor.fetchall())


@blueprint.post("/previews")
def create():
    settings, data = current_app.config["SETTINGS"], body()
    letter = {
        "sender": text(data, "sender", r"\S[^\r\n]{0,119}"),
        "recipient": text(data, "recipient", r"\S[^\r\n]{0,119}"),
        "address": text(data, "address", r"\S.{0,399}"),
        "text": text(data, "text", r"\S.*"),
    }
    if len(letter["text"]) > settings["service"]["max_text_chars"]:
        raise invalid("text is too long")
    data.setdefault("ttl_seconds", settings["spool"]["preview_ttl_seconds"])
    ttl = integer(data, "ttl_seconds", 1, settings["spool"]["preview_ttl_max_seconds"])
    pages = 1 + (len(letter["text"]) - 1) // CHARS_PER_PAGE
    now = time.time()
    preview = {
        "preview": secrets.token_hex(10), **letter, "pages": pages, "price_cents": price(pages),
        "created_at": iso(now), "expires_at": iso(now + ttl),
    }
    current_app.extensions["previews"].write(preview["preview"], json.dumps(preview).encode(), modified=now + ttl)
    return jsonify(preview), 201


@blueprint.get("/previews/<name>")
def one(name):
    return jsonify(find(name))


def price(pages):
    with transaction() as cursor:
        tariff = fetch_one(cursor, "SELECT price_cents FROM tariffs WHERE max_pages >= %s ORDER BY max_pages LIMIT 1", (pages,))
    if tariff is None:
        raise invalid("text is too long for every tariff")
    return tariff["price_cents"]


def find(name):
    content = current_app.extensions["previews"].read(name) if name.isalnum() else None
    preview = json.loads(content) if content else None
    if preview is None or preview["expires_at"] < iso(time.time()):
        raise ApiError(404, "not_found", "no such preview, or it has expired")
    return preview
