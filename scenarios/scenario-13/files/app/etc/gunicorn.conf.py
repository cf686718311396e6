wsgi_app = "nordkai.web:create_app()"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 2
threads = 4
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 3
# Longer than the proxy keeps an idle connection, so that it is never the one to be surprised.
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "nordkai.api.JsonFormatter"}},
    "handlers": {
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/nordkai/api.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
