wsgi_app = "saltmarsh.app:create_app()"
chdir = "/srv/saltmarsh"
bind = "0.0.0.0:8000"

worker_class = "gthread"
workers = 2
threads = 4
worker_tmp_dir = "/dev/shm"

timeout = 60
graceful_timeout = 5
# Longer than the proxy keeps an idle connection, so that it is never the one to be surprised.
keepalive = 75

logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "saltmarsh.log.JsonFormatter"}},
    "handlers": {"stdout": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "json"}},
    "root": {"level": "INFO", "handlers": ["stdout"]},
    "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
}
