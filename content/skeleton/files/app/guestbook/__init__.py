"""A guest book: one JSON object a line, appended and never changed."""

import fcntl
import json
import math
import os
import shutil
import time

from flask import Flask, abort, jsonify, request

ENTRIES = "/var/lib/guestbook/entries.jsonl"
FIRST = f"{os.path.dirname(__file__)}/first.jsonl"
MOST_CHARACTERS = 500


def create_app():
    app = Flask("guestbook")
    if not os.path.exists(ENTRIES):
        shutil.copyfile(FIRST, ENTRIES)

    @app.get("/health")
    def health():
        return jsonify(status="ok")

    @app.get("/api/entries")
    def entries():
        before = request.args.get("before", math.inf, type=int)
        with open(ENTRIES) as book:
            return jsonify([entry for entry in map(json.loads, book) if entry["at"] < before][-50:])

    @app.post("/api/entries")
    def sign():
        entry = request.get_json()
        guest, text = entry.get("guest"), entry.get("text")
        if not isinstance(guest, str) or not isinstance(text, str) or len(guest + text) > MOST_CHARACTERS:
            abort(400)
        with open(ENTRIES, "a") as book:
            fcntl.flock(book, fcntl.LOCK_EX)
            book.write(json.dumps({"at": int(time.time()), "guest": guest, "text": text}) + "\n")
        return jsonify(guest=guest), 201

    return app
