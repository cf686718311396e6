import os

# The database holds private keys.
os.umask(0o077)

wsgi_app = "issuer:create_app()"
chdir = "/srv/issuer"
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
    "formatters": {"json": {"()": "issuer.web.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/issuer/app.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
