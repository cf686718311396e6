wsgi_app = "tidewell.shop:create_app()"
chdir = "/srv/tidewell"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 1
threads = 8
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 2
keepalive = 30

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "tidewell.logs.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/tidewell/shop.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
