"""Database sessions, opened on first use and again when the server has closed them."""

import queue
import select
from contextlib import contextmanager

import psycopg2
from psycopg2.extras import RealDictCursor


class DatabaseUnavailable(Exception):
    pass


class Pool:
    def __init__(self, size, **connection):
        self.settings = connection
        self.slots = queue.LifoQueue()
        for _ in range(size):
            self.slots.put(None)

    @contextmanager
    def transaction(self):
        """A cursor, committed at the end of the block and rolled back on an error."""
        try:
            connection = self.slots.get(timeout=5)
        except queue.Empty:
            raise DatabaseUnavailable("no free connection in the pool") from None
        try:
            if connection is None or connection.closed or select.select([connection], [], [], 0)[0]:
                connection = None
                connection = psycopg2.connect(**self.settings)
            with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
                yield cursor
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error
        finally:
            self.slots.put(connection if connection and not connection.closed else None)
