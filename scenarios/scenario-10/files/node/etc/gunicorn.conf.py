wsgi_app = "quotes:create_app()"
chdir = "/srv/quotes"
bind = "0.0.0.0:8080"

worker_class = "gthread"
workers = 1
threads = 8
worker_tmp_dir = "/dev/shm"
timeout = 30
graceful_timeout = 5
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "quotes.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/quotes/app.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
