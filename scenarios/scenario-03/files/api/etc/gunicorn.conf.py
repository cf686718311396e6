wsgi_app = "ferngiro:create_app()"
chdir = "/srv/ferngiro"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 2
threads = 4
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 3
# Merchants keep their connections.
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "ferngiro.api.JsonFormatter"}},
    "handlers": {
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/ferngiro/api.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
