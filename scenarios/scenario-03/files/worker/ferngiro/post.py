"""Books payouts: takes the next that is due, gives it the next number of the journal, has a receipt made. Several run side by
side. Argument: this one's name."""

import os
import signal
import sys
import time

import psycopg2

from . import receipts
from .common import connect, log_to, settings
from .journal import Journal

POLL_SECONDS = 0.2


class Poster:
    def __init__(self, name):
        self.name, self.log, self.settings = name, log_to(name), settings()
        self.journal = Journal(**self.settings["journal"], owner=name)
        self.database = connect(self.settings["database"], name)
        self.database.autocommit = True
        self.forks = self.settings["receipts"]["mode"] == "fork"
        self.booking = self.stopping = False
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        """At once, but never between the journal and the database."""
        if not self.booking:
            os._exit(0)
        self.stopping = True

    def query(self, sql, values=()):
        with self.database.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    def take_up(self):
        """What this one had begun when it ended, and receipts that nobody will make any more."""
        self.query("UPDATE payouts SET status = 'queued', claimed_by = NULL WHERE status = 'claimed' AND claimed_by = %s", (self.name,))
        if not self.forks:
            return
        for entry in self.query("SELECT period, entry_no FROM entries WHERE receipt_at IS NULL AND booked_by = %s", (self.name,)):
            receipts.start(self.settings, entry["period"], entry["entry_no"])

    def next_payout(self):
        found = self.query("""
            UPDATE payouts SET status = 'claimed', claimed_by = %s WHERE id = (
                SELECT id FROM payouts WHERE status = 'queued' AND execute_at <= now()
                ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *""", (self.name,))
        return found[0] if found else None

    def is_booked(self, number):
        return bool(self.query("SELECT 1 FROM entries WHERE period = %s AND entry_no = %s", (self.journal.period, number)))

    def book(self, payout):
        with self.journal.locked():
            self.booking = True
            number = 1 + self.journal.drop_unfinished(self.is_booked)
            self.journal.append(number, payout)
            self.query("""
                WITH booked AS (UPDATE payouts SET status = 'booked' WHERE id = %(id)s AND status = 'claimed' RETURNING id, amount_cents)
                INSERT INTO entries (period, entry_no, payout_id, amount_cents, booked_by)
                SELECT %(period)s, %(number)s, id, amount_cents, %(name)s FROM booked
                """, {"id": payout["id"], "period": self.journal.period, "number": number, "name": self.name})
            if self.forks:
                receipts.start(self.settings, self.journal.period, number)
        self.booking = False
        self.log.info("booked", extra={"reference": payout["reference"], "entry_no": number, "amount_cents": payout["amount_cents"]})

    def run(self):
        self.take_up()
        self.log.info("posting", extra={"receipts": self.settings["receipts"]["mode"]})
        while not self.stopping:
            payout = self.next_payout()
            if payout is None:
                time.sleep(POLL_SECONDS)
            else:
                self.book(payout)


def main():
    # Helpers are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    poster = Poster(sys.argv[1])
    try:
        poster.run()
    except psycopg2.Error as error:
        poster.log.error("database lost, starting anew", extra={"reason": str(error).strip()})
        time.sleep(0.3)
        os._exit(1)


if __name__ == "__main__":
    main()
