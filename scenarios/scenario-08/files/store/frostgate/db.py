"""A small blocking connection pool. Connections are opened on first use, so that the service starts, and survives,
without its database."""

import queue
import select
from contextlib import contextmanager

import psycopg2
from psycopg2.extras import RealDictCursor


class DatabaseUnavailable(Exception):
    pass


class Pool:
    def __init__(self, pool_size, **connection):
        self.settings = connection
        self.slots = queue.LifoQueue()
        for _ in range(pool_size):
            self.slots.put(None)

    @contextmanager
    def transaction(self):
        """A cursor, committed at the end of the block and rolled back on an error."""
        try:
            connection = self.slots.get(timeout=5)
        except queue.Empty:
            raise DatabaseUnavailable("no free connection in the pool") from None
        try:
            if connection is None or is_stale(connection):
                connection = None
                connection = psycopg2.connect(application_name="frostgate", **self.settings)
            with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
                yield cursor
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error
        finally:
            self.slots.put(connection if connection and not connection.closed else None)


def is_stale(connection):
    """An idle connection has nothing to read, unless the server has closed it."""
    return connection.closed or select.select([connection], [], [], 0)[0]
