"""Makes the exports that were ordered: one process that looks after others, and those that do the work.

    python3 -m saltmarsh.worker /etc/saltmarsh/worker.toml
"""

import csv
import hashlib
import io
import logging
import os
import signal
import socket
import sys
import time
import tomllib
import zlib

import psycopg2
from psycopg2.extras import RealDictCursor

from .log import JsonFormatter

log = logging.getLogger("saltmarsh.worker")
COLUMNS = ["id", "booked_on", "voucher", "account", "contra", "amount_cents", "text", "entered_at"]


def connect(settings):
    return psycopg2.connect(
        application_name="saltmarsh-worker", password=os.environ["SALTMARSH_DB_PASSWORD"], cursor_factory=RealDictCursor, **settings["database"])


def patiently(work, wait):
    """Does it again and again while there is no database."""
    while True:
        try:
            return work()
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            log.warning("database unavailable", extra={"reason": str(error).strip()})
            time.sleep(wait)


def execute(settings, sql, values):
    connection = connect(settings)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.rowcount
    finally:
        connection.close()


# The processes that do the work

def work(settings, name):
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")  # rather one export than the one who looks after them
    patiently(lambda: serve(settings, name), settings["worker"]["poll_seconds"])


def serve(settings, name):
    """Ends after some exports, so that the memory of large ones goes back to the system."""
    progress, reading = connect(settings), connect(settings)
    progress.autocommit = True
    reading.set_session(isolation_level="REPEATABLE READ", readonly=True)
    try:
        for _ in range(settings["worker"]["exports_per_process"]):
            while (export := claim(progress, name)) is None:
                time.sleep(settings["worker"]["poll_seconds"])
            make(progress, reading, export, settings["export"])
    finally:
        progress.close()
        reading.close()


def claim(progress, name):
    with progress.cursor() as cursor:
        cursor.execute("""
            UPDATE exports SET status = 'running', started_at = now(), worker = %s WHERE id = (
                SELECT id FROM exports WHERE status = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING id, reference, customer_id""", (name,))
        return cursor.fetchone()


def make(progress, reading, export, settings):
    started, written, last, seq = time.perf_counter(), 0, 0, 0
    digest, size = hashlib.sha256(), settings["first_batch_rows"]
    with reading, reading.cursor() as source, progress.cursor() as target:
        source.execute("SELECT count(*) AS rows FROM entries WHERE customer_id = %s", (export["customer_id"],))
        expected = source.fetchone()["rows"]
        target.execute("UPDATE exports SET rows_expected = %s WHERE id = %s", (expected, export["id"]))
        log.info("export started", extra={"export": export["reference"], "rows": expected})
        while True:
            source.execute(
                "SELECT * FROM entries WHERE customer_id = %s AND id > %s ORDER BY id LIMIT %s", (export["customer_id"], last, size))
            rows = source.fetchall()
            content = render(rows, header=seq == 0)
            digest.update(content)
            seq, written = seq + 1, written + len(rows)
            target.execute("INSERT INTO export_parts (export_id, seq, row_count, content) VALUES (%s, %s, %s, %s)",
                           (export["id"], seq, len(rows), zlib.compress(content, 2)))
            target.execute("UPDATE exports SET rows_written = %s WHERE id = %s", (written, export["id"]))
            log.info("export batch written", extra={"export": export["reference"], "batch_rows": len(rows), "rows_written": written})
            if len(rows) < size:
                break
            last, size = rows[-1]["id"], min(size * 4, settings["max_batch_rows"])
        target.execute("UPDATE exports SET status = 'complete', sha256 = %s, finished_at = now() WHERE id = %s",
                       (digest.hexdigest(), export["id"]))
    log.info("export complete", extra={
        "export": export["reference"], "rows": written, "duration_ms": round((time.perf_counter() - started) * 1000)})


def render(rows, header):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


# The one that looks after them

class Keeper:
    def __init__(self, settings):
        self.settings, self.host, self.children, self.stopping = settings, socket.gethostname(), {}, False

    def start_one(self):
        pid = os.fork()
        if pid == 0:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            try:
                work(self.settings, f"{self.host}:{os.getpid()}")
                os._exit(0)
            except Exception:
                log.exception("unhandled error")
                os._exit(1)
        self.children[pid] = time.monotonic()
        log.debug("export process started", extra={"child": pid})

    def buried(self, pid, status):
        """An export that ended its process is not tried again: it would end the next one too."""
        self.children.pop(pid, None)
        if self.stopping:
            return
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return self.start_one()
        died = {"signal": -code, "exit_code": 128 - code} if code < 0 else {"exit_code": code}
        lost = patiently(lambda: execute(self.settings, """
            UPDATE exports SET status = 'incomplete', finished_at = now(), error = 'export process ended unexpectedly'
            WHERE status = 'running' AND worker = %s""", (f"{self.host}:{pid}",)), 0.5)
        log.error("export process ended unexpectedly", extra={"child": pid, **died, "exports_lost": lost})
        self.start_one()

    def tidy(self):
        keep = self.settings["export"]["keep_minutes"]
        patiently(lambda: execute(
            self.settings, "DELETE FROM exports WHERE finished_at < now() - make_interval(mins => %s)", (keep,)), 0.5)

    def stop(self, *_):
        self.stopping = True
        for pid in self.children:
            os.kill(pid, signal.SIGTERM)

    def run(self):
        # Nobody else makes exports: whatever is under way now was left behind by a stop of this machine.
        left = patiently(lambda: execute(self.settings, """
            WITH again AS (UPDATE exports SET status = 'queued', rows_written = 0 WHERE status = 'running' RETURNING id)
            DELETE FROM export_parts WHERE export_id IN (SELECT id FROM again)""", ()), 0.5)
        log.info("worker started", extra={"processes": self.settings["worker"]["processes"], "parts_dropped": left})
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        for _ in range(self.settings["worker"]["processes"]):
            self.start_one()
        tidied = time.monotonic()
        while self.children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid:
                self.buried(pid, status)
                continue
            time.sleep(0.1)
            if not self.stopping and time.monotonic() - tidied > 20:
                self.tidy()
                tidied = time.monotonic()
        log.info("worker stopped")


def main(path="/etc/saltmarsh/worker.toml"):
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    with open(path, "rb") as file:
        Keeper(tomllib.load(file)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
