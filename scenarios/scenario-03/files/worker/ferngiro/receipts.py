"""Receipts: one file for each entry of the journal, and a call to the merchant who asked for one. Made by a program that
does them one after the other, or by a helper for each entry."""

import json
import logging
import os
import signal
import time
import urllib.error
import urllib.request

import psycopg2

from .common import connect, log_to, settings

NAME = "receipts"
POLL_SECONDS = 0.2
log = logging.getLogger(NAME)


def start(config, period, number):
    """A helper of its own, which nobody waits for."""
    if os.fork() != 0:
        return
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        take_name()
        database = connect(config["database"], NAME)
        database.autocommit = True
        make(config, database, period, number)
    except Exception:
        log.exception("no receipt", extra={"entry_no": number})
    finally:
        os._exit(0)


def take_name():
    with open("/proc/self/comm", "w") as file:
        file.write(NAME)


def make(config, database, period, number):
    with database.cursor() as cursor:
        cursor.execute("""
            SELECT e.period, e.entry_no, e.amount_cents, e.booked_at::text, p.reference, p.merchant, p.callback_url
            FROM entries e JOIN payouts p ON p.id = e.payout_id WHERE e.period = %s AND e.entry_no = %s""", (period, number))
        entry = dict(cursor.fetchone())
        callback = entry.pop("callback_url")
        write(config["receipts"]["folder"], entry)
        if callback:
            call(callback, entry, config["receipts"]["callback_timeout_seconds"])
        cursor.execute("UPDATE entries SET receipt_at = now() WHERE period = %s AND entry_no = %s", (period, number))


def write(folder, entry):
    path = os.path.join(folder, f"{entry['period']}-{entry['entry_no']:06d}.json")
    unfinished = os.path.join(folder, f".{os.path.basename(path)}.{os.getpid()}")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640), "w") as file:
        json.dump(entry, file)
    os.rename(unfinished, path)


def call(url, entry, timeout):
    request = urllib.request.Request(url, json.dumps(entry).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            log.info("merchant called", extra={"reference": entry["reference"], "status": answer.status})
    except (OSError, urllib.error.HTTPError) as error:
        log.warning("merchant could not be called", extra={"reference": entry["reference"], "reason": str(error)})


def main():
    config = settings()
    log_to(NAME)
    with open(config["receipts"]["pid_file"], "w") as file:
        file.write(f"{os.getpid()}\n")
    take_name()
    database = connect(config["database"], NAME)
    database.autocommit = True
    log.info("making receipts")
    try:
        while True:
            with database.cursor() as cursor:
                cursor.execute("SELECT period, entry_no FROM entries WHERE receipt_at IS NULL ORDER BY period, entry_no LIMIT 50")
                waiting = cursor.fetchall()
            for entry in waiting:
                make(config, database, entry["period"], entry["entry_no"])
            if not waiting:
                time.sleep(POLL_SECONDS)
    except psycopg2.Error as error:
        log.error("database lost, starting anew", extra={"reason": str(error).strip()})
        time.sleep(0.3)
        os._exit(1)


if __name__ == "__main__":
    main()
