"""Connections to the database, as many as there are slots. The number may change at any moment: connections beyond it are
closed as soon as nobody uses them."""

import logging
import select
import threading
import time
from contextlib import contextmanager

import psycopg2
from psycopg2.extras import RealDictCursor

log = logging.getLogger("larkspur.pool")


class Busy(Exception):
    """No slot became free in time, or the database gave no connection."""


class Pool:
    def __init__(self, slots, wait_seconds, **connection):
        self.slots, self.wait, self.settings = slots, wait_seconds, connection
        self.used, self.idle, self.changed = 0, [], threading.Condition()

    def resize(self, slots):
        with self.changed:
            self.slots = slots
            while self.idle and self.used + len(self.idle) > slots:
                self.idle.pop().close()
            self.changed.notify_all()

    def take(self):
        until = time.monotonic() + self.wait
        with self.changed:
            while self.used >= self.slots:
                if not self.changed.wait(until - time.monotonic()):
                    raise Busy("no slot is free")
            self.used += 1
            return self.idle.pop() if self.idle else None

    def give(self, connection):
        with self.changed:
            self.used -= 1
            if connection is not None and not connection.closed:
                if self.used + len(self.idle) < self.slots:
                    self.idle.append(connection)
                else:
                    connection.close()
            self.changed.notify()

    @contextmanager
    def transaction(self):
        connection = self.take()
        try:
            if connection is None or connection.closed or select.select([connection], [], [], 0)[0]:
                connection = None
                connection = psycopg2.connect(**self.settings)
            with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
                yield cursor
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            log.error("no connection", extra={"reason": str(error).strip()})
            raise Busy("the database gives no connection") from error
        finally:
            self.give(connection)
