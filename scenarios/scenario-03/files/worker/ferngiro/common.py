"""Settings, log lines and the database, for every program of the worker."""

import json
import logging
import logging.handlers
import os
import time
import tomllib
from datetime import datetime, timezone

import psycopg2
from psycopg2.extras import RealDictCursor


def settings(path="/etc/ferngiro/worker.toml"):
    with open(path, "rb") as file:
        return tomllib.load(file)


class JsonFormatter(logging.Formatter):
    standard = {*vars(logging.makeLogRecord({})), "message"}

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "pid": os.getpid(), "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in self.standard},
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


def log_to(name):
    handler = logging.handlers.WatchedFileHandler("/var/log/ferngiro/worker.log")
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    return logging.getLogger(name)


def connect(database, name):
    """Waits for the database as long as it takes."""
    while True:
        try:
            return psycopg2.connect(
                password=os.environ["FERNGIRO_DB_PASSWORD"], application_name=name, cursor_factory=RealDictCursor, **database)
        except psycopg2.OperationalError as error:
            logging.getLogger(name).warning("database unavailable, trying again", extra={"reason": str(error).strip()})
            time.sleep(0.5)
