wsgi_app = "frostgate:create_app()"
chdir = "/srv/frostgate"
bind = "0.0.0.0:8000"

# One worker: the broker knows this service as one client.
worker_class = "gthread"
workers = 1
threads = 4
worker_tmp_dir = "/dev/shm"

timeout = 30
graceful_timeout = 2
keepalive = 2

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "frostgate.api.JsonFormatter"}},
    "handlers": {
        "stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"},
        "file": {
            "class": "logging.handlers.WatchedFileHandler",
            "filename": "/var/log/frostgate/store.log",
            "formatter": "json",
        },
    },
    "root": {"level": "INFO", "handlers": ["stdout", "file"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}


def post_worker_init(worker):
    worker.app.callable.extensions["consumer"].start()
