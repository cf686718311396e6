"""A small blocking connection pool. Connections are opened on first use, so that the
service starts, and survives, without its database."""

import logging
import queue
import select
import time
from contextlib import contextmanager

import psycopg2
from flask import current_app
from psycopg2.extras import RealDictCursor

log = logging.getLogger("saltmarsh.db")


class DatabaseUnavailable(Exception):
    pass


class Pool:
    def __init__(self, pool_size, pool_timeout_seconds, connect_attempts, **connection):
        self.timeout, self.attempts, self.settings = pool_timeout_seconds, connect_attempts, connection
        self.slots = queue.LifoQueue()
        for _ in range(pool_size):
            self.slots.put(None)

    @contextmanager
    def transaction(self):
        """A cursor, committed at the end of the block and rolled back on an error."""
        try:
            connection = self.slots.get(timeout=self.timeout)
        except queue.Empty:
            raise DatabaseUnavailable("no free connection in the pool") from None
        try:
            if connection is None or is_stale(connection):
                connection = None
                connection = self.open()
            with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
                yield cursor
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error
        finally:
            self.slots.put(connection if connection and not connection.closed else None)

    def open(self):
        for attempt in range(1, self.attempts + 1):
            try:
                return psycopg2.connect(application_name="saltmarsh", **self.settings)
            except psycopg2.OperationalError as error:
                if attempt == self.attempts:
                    raise
                if attempt == 1:
                    log.warning("connection failed, trying again", extra={"reason": str(error).strip()})
                time.sleep(0.1)


def is_stale(connection):
    """An idle connection has nothing to read, unless the server has closed it."""
    return connection.closed or select.select([connection], [], [], 0)[0]


def transaction():
    return current_app.extensions["pool"].transaction()


def fetch_one(cursor, sql, values):
    cursor.execute(sql, values)
    return cursor.fetchone()
