"""What operators and machines ask: is it alive, can it work, what has it done. /internal is for our own network only."""

from flask import Blueprint, current_app, jsonify

blueprint = Blueprint("status", __name__)


def count(status):
    counts = current_app.extensions["counts"]
    counts[status] = counts.get(status, 0) + 1


@blueprint.get("/healthz")
def alive():
    return jsonify(status="ok", replica=current_app.config["REPLICA"])


@blueprint.get("/ready")
def ready():
    with current_app.extensions["pool"].transaction(timeout=1.5) as cursor:
        cursor.execute("SELECT 1 FROM items LIMIT 1")
    return jsonify(status="ok", replica=current_app.config["REPLICA"], database="ok")


@blueprint.get("/internal/metrics")
def metrics():
    prices = current_app.extensions["prices"]
    return jsonify(replica=current_app.config["REPLICA"], responses=current_app.extensions["counts"],
                   prices={"listening": prices.listening, "version": prices.version})
