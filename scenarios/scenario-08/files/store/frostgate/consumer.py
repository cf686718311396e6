"""The way in: frostgate/<class>/<device>/reading, at least once, kept once. Devices find their settings, retained, in
frostgate/<class>/<device>/set."""

import json
import logging
import time

import paho.mqtt.client as mqtt

from .db import DatabaseUnavailable

log = logging.getLogger("frostgate.consumer")

STORE = """
    INSERT INTO readings (device_id, message_id, value, battery_percent, measured_at)
    SELECT id, %(id)s, %(value)s, %(battery)s, coalesce(to_timestamp(%(at)s), now()) FROM devices WHERE name = %(device)s AND class = %(class)s
    ON CONFLICT (device_id, message_id) DO NOTHING
"""


class Consumer:
    def __init__(self, pool, host, port, user, password, client_id, keepalive):
        self.pool, self.address = pool, (host, port, keepalive)
        self.connected = False
        self.client = mqtt.Client(client_id, clean_session=False)
        self.client.username_pw_set(user, password)
        self.client.reconnect_delay_set(min_delay=1, max_delay=2)
        self.client.on_connect, self.client.on_disconnect, self.client.on_message = self.joined, self.left, self.received

    def start(self):
        self.client.connect_async(*self.address)
        self.client.loop_start()

    def joined(self, client, _data, _flags, code):
        if code != 0:
            log.error("the broker refused the connection", extra={"code": code, "reason": mqtt.connack_string(code)})
            return
        client.subscribe("frostgate/+/+/reading", qos=1)
        for device in self.patiently("SELECT class, name, settings FROM devices ORDER BY name"):
            self.send_settings(device["class"], device["name"], device["settings"])
        self.connected = True
        log.info("connected to the broker", extra={"broker": self.address[0]})

    def left(self, _client, _data, code):
        self.connected = False
        log.warning("disconnected from the broker", extra={"code": code, "reason": mqtt.error_string(code)})

    def send_settings(self, kind, name, settings):
        self.client.publish(f"frostgate/{kind}/{name}/set", json.dumps(settings), qos=1, retain=True)

    def received(self, _client, _data, message):
        try:
            _, kind, device, _ = message.topic.split("/")
            reading = json.loads(message.payload)
            values = {
                "class": kind, "device": device, "id": str(reading["id"])[:64], "value": float(reading["value"]),
                "battery": reading.get("battery"), "at": reading.get("at"),
            }
        except (ValueError, KeyError, TypeError) as error:
            log.warning("reading not understood", extra={"topic": message.topic, "reason": repr(error)})
            return
        self.patiently(STORE, values)
        log.info("reading", extra={"device": device, "id": values["id"], "value": values["value"]})

    def patiently(self, sql, values=()):
        """Goes on until the database takes it: what is not stored is not acknowledged."""
        while True:
            try:
                with self.pool.transaction() as cursor:
                    cursor.execute(sql, values)
                    return cursor.fetchall() if cursor.description else []
            except DatabaseUnavailable as error:
                log.warning("database unavailable, trying again", extra={"reason": str(error)})
                time.sleep(0.5)
