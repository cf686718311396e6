wsgi_app = "records:create_app()"
chdir = "/srv/records"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 1
threads = 12
worker_tmp_dir = "/dev/shm"
timeout = 30
graceful_timeout = 5
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "records.web.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/records/app.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
