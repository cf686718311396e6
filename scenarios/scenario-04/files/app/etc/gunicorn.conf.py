wsgi_app = "larkfield:create_app()"
chdir = "/srv/larkfield"
bind = "0.0.0.0:8000"

# One worker: it keeps the prices in memory.
worker_class = "gthread"
workers = 1
threads = 16
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 2
keepalive = 30

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "larkfield.api.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/larkfield/app.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}


def post_worker_init(worker):
    worker.app.callable.extensions["prices"].start()
