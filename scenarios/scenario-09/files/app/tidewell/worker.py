"""The ledger's worker: books every order once, and acknowledges it when the database has it."""

import json
import logging
import logging.config
import os
import signal
import sys
import time
import tomllib

import pika
import psycopg2

from .db import DatabaseUnavailable, Pool

log = logging.getLogger("tidewell.worker")

BOOK = """
    INSERT INTO ledger (order_id, source, item, quantity, amount_cents, customer, note)
    VALUES (%(order_id)s, %(source)s, %(item)s, %(quantity)s, %(amount_cents)s, %(customer)s, %(note)s)
    ON CONFLICT (order_id) DO NOTHING
"""
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "tidewell.logs.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {"class": "logging.handlers.WatchedFileHandler", "filename": "/var/log/tidewell/worker.log", "formatter": "json"},
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"pika": {"level": "CRITICAL"}},
}


class Worker:
    def __init__(self, settings):
        self.queue, self.prefetch = settings["broker"].pop("queue"), settings["broker"].pop("prefetch")
        self.broker, self.errors = settings["broker"], settings["errors"]
        self.pool = Pool(1, password=os.environ["TIDEWELL_DB_PASSWORD"], application_name="ledger", **settings["database"])

    def run(self):
        while True:
            try:
                self.consume()
            except (pika.exceptions.AMQPError, OSError) as error:
                log.warning("no broker, trying again", extra={"reason": repr(error)})
                time.sleep(0.5)

    def consume(self):
        credentials = pika.PlainCredentials(self.broker["user"], os.environ["TIDEWELL_MQ_PASSWORD"])
        parameters = pika.ConnectionParameters(
            self.broker["host"], self.broker["port"], self.broker["virtual_host"], credentials, heartbeat=30, socket_timeout=3,
            client_properties={"connection_name": "tidewell ledger"})
        connection = pika.BlockingConnection(parameters)
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_qos(prefetch_count=self.prefetch)
        channel.basic_consume(self.queue, self.received)
        log.info("waiting for orders", extra={"queue": self.queue})
        channel.start_consuming()

    def received(self, channel, method, properties, body):
        try:
            order = parse(body)
        except (ValueError, KeyError, TypeError) as error:
            self.fail(channel, method, properties, body, error)
            return
        try:
            self.book(channel, order)
        except (psycopg2.DataError, psycopg2.IntegrityError, ValueError) as error:
            self.fail(channel, method, properties, body, error)
            return
        channel.basic_ack(method.delivery_tag)
        log.info("booked", extra={"order": order["order_id"], "source": order["source"], "amount_cents": order["amount_cents"]})

    def fail(self, channel, method, properties, body, error):
        log.error("message cannot be booked", extra={
            "id": properties.message_id, "routing_key": method.routing_key, "bytes": len(body), "reason": repr(error),
            "action": self.errors["action"], "redelivered": method.redelivered})
        if self.errors["action"] == "park":
            properties.user_id = None  # the broker closes the channel of whoever publishes in another user's name
            channel.basic_publish(self.errors["exchange"], method.routing_key, body, properties, mandatory=True)
            channel.basic_ack(method.delivery_tag)
            return
        requeue = self.errors["action"] == "requeue"
        if requeue:
            channel.connection.sleep(self.errors["pause_seconds"])
        channel.basic_nack(method.delivery_tag, requeue=requeue)

    def book(self, channel, order):
        """Goes on until the database takes it: that is not the message's fault."""
        while True:
            try:
                with self.pool.transaction() as cursor:
                    cursor.execute(BOOK, order)
                return
            except DatabaseUnavailable as error:
                log.warning("no database, trying again", extra={"reason": str(error)})
                channel.connection.sleep(0.5)


def parse(body):
    order = json.loads(body.decode("utf-8"))
    wanted = {"order_id": str, "source": str, "item": str, "quantity": int, "amount_cents": int, "customer": str}
    for field, kind in wanted.items():
        if type(order[field]) is not kind:
            raise ValueError(f"{field} is not of type {kind.__name__}")
    return {**{field: order[field] for field in wanted}, "note": order.get("note")}


def again(_signal, _frame):
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main():
    logging.config.dictConfig(LOGGING)
    with open(sys.argv[1], "rb") as file:
        settings = tomllib.load(file)
    signal.signal(signal.SIGHUP, again)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Worker(settings).run()


if __name__ == "__main__":
    main()
