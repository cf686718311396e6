"""Quotes: the cheapest way for a load from one depot to another, over the lanes that we run."""

import heapq
import os
import re
import secrets
import tomllib

from flask import abort, current_app, jsonify, request

from . import admin, web
from .pool import Pool


def create_app(path="/etc/larkspur/api.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = web.create("larkspur-api")
    pool = Pool(password=os.environ["LARKSPUR_DB_PASSWORD"], application_name="larkspur-api", **settings["slots"], **settings["database"])
    app.extensions["pool"] = pool
    changeable = admin.Settings({"slots": (1, 64)}, {"slots": settings["slots"]["slots"]}, lambda values: pool.resize(values["slots"]))
    app.register_blueprint(admin.blueprint(changeable, os.environ["LARKSPUR_ADMIN_TOKEN"]))
    app.add_url_rule("/health", view_func=lambda: jsonify(status="ok"))
    app.add_url_rule("/api/depots", view_func=depots)
    app.add_url_rule("/api/quotes", view_func=quote, methods=["POST"])
    app.add_url_rule("/api/quotes/<reference>", view_func=one)
    return app


def transaction():
    return current_app.extensions["pool"].transaction()


def depots():
    with transaction() as cursor:
        cursor.execute("SELECT code, name FROM depots ORDER BY code")
        return jsonify(items=cursor.fetchall())


def cheapest(lanes, start, goal):
    """Dijkstra's way: the lanes of the cheapest route, and what they cost for each 100 kg."""
    leaving = {}
    for lane in lanes:
        leaving.setdefault(lane["origin"], []).append(lane)
    done, waiting = set(), [(0, start, ())]
    while waiting:
        cost, depot, way = heapq.heappop(waiting)
        if depot == goal:
            return cost, way
        if depot in done:
            continue
        done.add(depot)
        for lane in leaving.get(depot, ()):
            if lane["destination"] not in done:
                heapq.heappush(waiting, (cost + lane["cents_per_100kg"], lane["destination"], (*way, lane["id"])))
    abort(404, "there is no way between these depots")


def quote():
    data = request.get_json(silent=True) or {}
    start, goal, reference, weight = (data.get(key) for key in ("origin", "destination", "client_reference", "weight_kg"))
    if not all(isinstance(text, str) and re.fullmatch(r"[\w.-]{2,64}", text) for text in (start, goal, reference)):
        abort(422, "origin, destination and client_reference are needed")
    if type(weight) is not int or not 1 <= weight <= 24000:
        abort(422, "weight_kg has to be a whole number from 1 to 24000")
    with transaction() as cursor:
        cursor.execute("SELECT id, origin, destination, cents_per_100kg FROM lanes ORDER BY id")
        cost, way = cheapest(cursor.fetchall(), start, goal)
        made = {"reference": "Q-" + secrets.token_hex(5).upper(), "client_reference": reference, "origin": start, "destination": goal,
                "weight_kg": weight, "lanes": list(way), "price_cents": cost * -(-weight // 100)}
        cursor.execute("""
            INSERT INTO quotes (reference, client_reference, origin, destination, weight_kg, lanes, price_cents)
            VALUES (%(reference)s, %(client_reference)s, %(origin)s, %(destination)s, %(weight_kg)s, %(lanes)s, %(price_cents)s)""", made)
    return jsonify(made), 201


def one(reference):
    with transaction() as cursor:
        cursor.execute("SELECT reference, client_reference, origin, destination, weight_kg, lanes, price_cents FROM quotes WHERE reference = %s",
                       (reference,))
        return jsonify(cursor.fetchone() or abort(404, "no such quote"))
