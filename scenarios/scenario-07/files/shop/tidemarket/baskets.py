"""Baskets: what a customer wants, until they order it or a week has passed."""

from flask import Blueprint, current_app, jsonify

from .api import ApiError, body, integer, text

blueprint = Blueprint("baskets", __name__, url_prefix="/api")


@blueprint.get("/products")
def products():
    prices = current_app.config["SETTINGS"]["prices"]
    return jsonify(items=[{"sku": sku, "price_cents": price} for sku, price in prices.items()])


@blueprint.get("/baskets/<name>")
def one(name):
    return jsonify(shown(name, current_app.extensions["store"].read(lambda redis: redis.hgetall(key(name)))))


@blueprint.put("/baskets/<name>/items/<sku>")
def put(name, sku):
    """Sets how many; doing it twice is doing it once."""
    settings, quantity = current_app.config["SETTINGS"], integer(body(), "quantity", 0, 99)
    if sku not in settings["prices"]:
        raise ApiError(404, "not_found", "no such product")
    basket = key(name)

    def work(redis):
        with redis.pipeline(transaction=True) as pipe:
            pipe.hset(basket, sku, quantity) if quantity else pipe.hdel(basket, sku)
            pipe.expire(basket, settings["service"]["basket_days"] * 86400)
            pipe.hgetall(basket)
            return pipe.execute()[-1]
    return jsonify(shown(name, current_app.extensions["store"].write(work)))


def key(name):
    return "basket:" + text({"basket": name}, "basket", r"[\w-]{4,64}")


def shown(name, items):
    prices = current_app.config["SETTINGS"]["prices"]
    items = {sku: int(quantity) for sku, quantity in sorted(items.items()) if sku in prices}
    return {"basket": name, "items": items, "total_cents": sum(prices[sku] * quantity for sku, quantity in items.items())}
