"""Settings that can be changed while a service runs, over /admin/settings. They last until the service is started again."""

import hmac
import logging
import threading

from flask import Blueprint, abort, jsonify, request

log = logging.getLogger("larkspur.admin")


class Settings:
    """Whole numbers by name, each within bounds, and a note of whoever set them."""

    def __init__(self, bounds, values, apply):
        self.bounds, self.apply, self.lock = bounds, apply, threading.Lock()
        self.values, self.note = values, "as started"

    def show(self):
        return {**self.values, "note": self.note}

    def change(self, wanted, note):
        with self.lock:
            self.values, self.note = {**self.values, **wanted}, note
            self.apply(self.values)
            log.info("settings changed", extra={"settings": self.values, "note": note, "by": request.remote_addr})
            return self.show()


def blueprint(settings, token):
    routes = Blueprint("admin", __name__, url_prefix="/admin")

    @routes.before_request
    def authorise():
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            abort(401, "the administrators' token is needed")

    @routes.get("/settings")
    def show():
        return jsonify(settings.show())

    @routes.put("/settings")
    def change():
        data = request.get_json(silent=True)
        if not isinstance(data, dict):
            abort(400, "the body has to be a JSON object")
        note = str(data.pop("note", ""))[:80]
        for name, value in data.items():
            low, high = settings.bounds.get(name) or abort(422, f"there is no setting {name}")
            if type(value) is not int or not low <= value <= high:
                abort(422, f"{name} has to be a whole number from {low} to {high}")
        return jsonify(settings.change(data, note))

    return routes
