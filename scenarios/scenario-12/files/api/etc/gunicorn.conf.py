wsgi_app = "larkspur.api:create_app()"
chdir = "/srv/larkspur"
bind = "0.0.0.0:8000"

# One process: settings that change while it runs are kept in it.
worker_class = "gthread"
workers = 1
threads = 32
worker_tmp_dir = "/dev/shm"
timeout = 60
graceful_timeout = 3
keepalive = 30

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "larkspur.log.JsonFormatter"}},
    "handlers": {"stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"}},
    "root": {"level": "INFO", "handlers": ["stdout"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
