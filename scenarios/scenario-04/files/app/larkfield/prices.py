"""The price list, in memory. The database says when it changes (NOTIFY prices), and then it is read again; while nobody
listens, it is read every time."""

import logging
import select
import threading
import time
from contextlib import closing

import psycopg2
from psycopg2.extensions import ISOLATION_LEVEL_AUTOCOMMIT, ISOLATION_LEVEL_DEFAULT

from .db import DatabaseUnavailable

log = logging.getLogger("larkfield.prices")


class PriceList:
    def __init__(self, pool, connection):
        self.pool, self.own_connection = pool, connection == "own"
        self.items, self.version, self.listening = None, 0, False

    def start(self):
        threading.Thread(target=self.listen, name="prices", daemon=True).start()

    def all(self):
        items, version = self.items, self.version
        if items is None:
            with self.pool.transaction() as cursor:
                cursor.execute("SELECT sku, name, kind, price_cents FROM items ORDER BY sku")
                items = {row["sku"]: dict(row) for row in cursor.fetchall()}
            if self.listening and version == self.version:
                self.items = items
        return items

    def forget(self, listening):
        self.listening, self.version, self.items = listening, self.version + 1, None

    def listen(self):
        while True:
            try:
                with closing(self.pool.open()) if self.own_connection else self.pool.lease() as connection:
                    self.follow(connection)
            except (DatabaseUnavailable, psycopg2.Error) as error:
                self.forget(listening=False)
                log.warning("not listening for price changes", extra={"reason": str(error).strip()})
                time.sleep(0.5)

    def follow(self, connection):
        connection.set_isolation_level(ISOLATION_LEVEL_AUTOCOMMIT)
        try:
            with connection.cursor() as cursor:
                cursor.execute("LISTEN prices")
            self.forget(listening=True)
            log.info("listening for price changes")
            while True:
                select.select([connection], [], [], 5)
                connection.poll()
                if connection.notifies:
                    log.info("prices changed", extra={"items": sorted({notice.payload for notice in connection.notifies})})
                    connection.notifies.clear()
                    self.forget(listening=True)
        finally:
            if not connection.closed:
                connection.set_isolation_level(ISOLATION_LEVEL_DEFAULT)
