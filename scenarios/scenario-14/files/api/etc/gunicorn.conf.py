wsgi_app = "schaltwerk:create_app()"
chdir = "/srv/schaltwerk"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 2
threads = 6
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 3
# Longer than clients keep an idle connection, so that they are never surprised.
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "schaltwerk.api.JsonFormatter"}},
    "handlers": {
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/schaltwerk/api.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
