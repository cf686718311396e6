"""Log lines as JSON objects."""

import json
import logging
from datetime import datetime, timezone


class JsonFormatter(logging.Formatter):
    standard = {*vars(logging.makeLogRecord({})), "message"}

    def format(self, record):
        entry = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "pid": record.process,
            "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in self.standard},
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)
