"""The way to the broker: one connection, opened on first use and again after a failure; the broker confirms every message."""

import json
import threading

import pika


class BrokerUnavailable(Exception):
    pass


class Publisher:
    def __init__(self, host, port, virtual_host, user, password, exchange):
        self.parameters = pika.ConnectionParameters(
            host, port, virtual_host, pika.PlainCredentials(user, password), heartbeat=0, socket_timeout=3,
            blocked_connection_timeout=5, client_properties={"connection_name": "tidewell shop"})
        self.exchange, self.lock, self.connection, self.channel = exchange, threading.Lock(), None, None

    def publish(self, routing_key, message):
        with self.lock:
            for last in (False, True):
                try:
                    self.open()
                    self.channel.basic_publish(
                        self.exchange, routing_key, json.dumps(message).encode(), mandatory=True,
                        properties=pika.BasicProperties(
                            content_type="application/json", delivery_mode=2, message_id=message["order_id"], app_id="shop"))
                    return
                except (pika.exceptions.AMQPError, OSError) as error:
                    self.close()
                    if last:
                        raise BrokerUnavailable(repr(error)) from error

    def open(self):
        if self.connection is None or self.connection.is_closed:
            self.connection = pika.BlockingConnection(self.parameters)
            self.channel = self.connection.channel()
            self.channel.confirm_delivery()

    def close(self):
        try:
            if self.connection is not None:
                self.connection.close()
        except (pika.exceptions.AMQPError, OSError):
            pass
        self.connection = None
