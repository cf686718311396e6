"""What the programs behind the API have in common: rounds of work, a log, figures for monitoring."""

import logging
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

from .api import JsonFormatter
from .db import DatabaseUnavailable, Pool

log = logging.getLogger("nordkai")


class Figures(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/metrics":
            return self.send_error(404)
        text = f"process_start_time_seconds {self.server.started:.3f}\n"
        text += "".join(f"nordkai_{self.server.name}_{key} {value}\n" for key, value in self.server.figures.items())
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self):
        TCPServer.server_bind(self)  # without asking the DNS for its own name


def run(name, settings, own, work):
    """Calls work(pool, own) again and again; it returns how much it has done, and is left alone for a while when that is nothing."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    pool = Pool(name, **{**settings["database"], "pool_size": 1})
    server = Server(("0.0.0.0", own["metrics_port"]), Figures)
    server.name, server.started, server.figures = name, time.time(), {"done_total": 0, "errors_total": 0}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log.info("ready", extra={"program": name, **own})

    while not stop.is_set():
        try:
            done = work(pool, own)
        except DatabaseUnavailable as error:
            server.figures["errors_total"] += 1
            log.error("database unavailable", extra={"program": name, "reason": str(error)})
            done = 0
        server.figures["done_total"] += done
        if done == 0:
            stop.wait(own["idle_seconds"])
    log.info("stopped", extra={"program": name})
