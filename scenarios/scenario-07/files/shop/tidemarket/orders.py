"""Orders: a basket that was paid for. The customer's own reference makes a repeated order harmless."""

import json
from datetime import datetime, timezone

from flask import Blueprint, current_app, jsonify
from redis.exceptions import WatchError

from .api import ApiError, body, text
from .baskets import key as basket_key
from .baskets import shown

blueprint = Blueprint("orders", __name__, url_prefix="/api/orders")


@blueprint.post("")
def create():
    data = body()
    reference, customer = text(data, "client_reference", r"[\w-]{8,64}"), text(data, "customer", r"\S[^\r\n]{0,79}")
    name, order = data.get("basket"), key(reference)
    basket = basket_key(name)

    def work(redis):
        while True:
            with redis.pipeline(transaction=True) as pipe:
                try:
                    pipe.watch(order, basket)
                    if earlier := pipe.hgetall(order):
                        return earlier, 200
                    content = shown(name, pipe.hgetall(basket))
                    if not content["items"]:
                        raise ApiError(409, "basket_empty", "there is nothing in this basket")
                    fields = {
                        "client_reference": reference, "customer": customer, "items": json.dumps(content["items"]),
                        "total_cents": str(content["total_cents"]), "ordered_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                    }
                    pipe.multi()
                    pipe.hset(order, mapping=fields)
                    pipe.delete(basket)
                    pipe.execute()
                    return fields, 201
                except WatchError:
                    continue
    fields, status = current_app.extensions["store"].write(work)
    if fields["customer"] != customer:
        raise ApiError(409, "client_reference_used", "another order has this client_reference")
    return jsonify(answer(fields)), status


@blueprint.get("/<reference>")
def one(reference):
    fields = current_app.extensions["store"].read(lambda redis: redis.hgetall(key(reference)))
    if not fields:
        raise ApiError(404, "not_found", "no such order")
    return jsonify(answer(fields))


def key(reference):
    return "order:" + reference


def answer(fields):
    return {**fields, "items": json.loads(fields["items"]), "total_cents": int(fields["total_cents"])}
