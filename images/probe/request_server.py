"""Answers requests on standard input, one JSON object a line: {"id", "within_ms"?, ...} -> {"id", ...}, or {"id", "failed",
"timed_out"?, "killed"?}. Each is answered by a process of its own, forked in advance, which is killed when its time is up and is the first to
be killed when memory runs out."""

import gc
import json
import os
import resource
import selectors
import signal
import sys
import time

from hostile import Unobservable

REQUEST_MS = 8_000
MOST_AT_ONCE = 4
MAX_REPLY = 6 * 1024 * 1024
MAX_MEMORY = 384 * 1024 * 1024
MAX_IDLE_SECONDS = 900


def reply_to(answer, request):
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
        reply = answer(request)
    except Exception as error:
        reply = {"failed": str(error) if isinstance(error, Unobservable) else f"{type(error).__name__}: {error}"}
    text = json.dumps({"id": request["id"], **reply})
    if len(text) > MAX_REPLY:
        text = json.dumps({"id": request["id"], "failed": "the answer is too long"})
    return text.encode()


class Worker:
    """A process that waits for one request, answers it and exits."""

    def __init__(self, answer):
        self.said = b""
        requests, self.requests = os.pipe()
        self.pipe, words = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            code = 1
            try:
                os.setpgid(0, 0)
                os.close(self.requests)
                self.run(answer, requests, words)
                code = 0
            finally:
                os._exit(code)
        os.close(requests)
        os.close(words)

    def run(self, answer, requests, words):
        with os.fdopen(requests, "rb") as given:
            text = given.read()
        if not text:
            return  # the server has closed the pipe: there is no request
        request, deadline = json.loads(text)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))  # SIGALRM kills it wherever it blocks
        reply = memoryview(reply_to(answer, request))
        while reply:
            reply = reply[os.write(words, reply) :]

    def give(self, request, deadline):
        self.request = request
        try:
            with os.fdopen(self.requests, "wb") as requests:
                requests.write(json.dumps([request, deadline]).encode())
        except BrokenPipeError:
            pass  # it was killed; end() reports that

    def read(self):
        """Returns whether there may be more."""
        part = os.read(self.pipe, 1024 * 1024)
        self.said += part
        return bool(part)

    def end(self):
        """Returns the answer."""
        os.close(self.pipe)
        status = os.waitpid(self.child, 0)[1]
        if status == 0:
            return self.said
        if not os.WIFSIGNALED(status):
            failed = {"failed": "the inspection broke off"}
        elif os.WTERMSIG(status) == signal.SIGALRM:
            failed = {"failed": "it timed out", "timed_out": True}
        else:  # by the kernel, as a rule, because inspections of all sandboxes together took too much memory
            failed = {"failed": "the inspection was killed", "killed": True}
        return json.dumps({"id": self.request["id"], **failed}).encode()


class Server:
    """Reads requests and passes each to a process that was forked in advance."""

    def __init__(self, answer):
        self.answer, self.held = answer, b""
        self.waiting, self.running, self.ready = [], set(), Worker(answer)
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def take_requests(self):
        """Returns whether there may be more."""
        part = os.read(0, 65_536)
        *requests, self.held = (self.held + part).split(b"\n")
        for request in map(json.loads, requests):
            self.waiting.append((request, time.monotonic() + request.get("within_ms", REQUEST_MS) / 1000))
        return bool(part)

    def start(self):
        started, self.ready = self.ready, None
        self.running.add(started)
        self.selector.register(started.pipe, selectors.EVENT_READ, started)
        started.give(*self.waiting.pop(0))
        self.ready = Worker(self.answer)

    def finish(self, ended):
        self.selector.unregister(ended.pipe)
        self.running.discard(ended)
        sys.stdout.buffer.write(ended.end() + b"\n")
        sys.stdout.buffer.flush()

    def serve(self):
        while events := self.selector.select(MAX_IDLE_SECONDS):
            for key, _ in events:
                if key.data is None and not self.take_requests():
                    return
                if key.data is not None and not key.data.read():
                    self.finish(key.data)
            while self.waiting and len(self.running) < MOST_AT_ONCE:
                self.start()

    def kill(self):
        for started in self.running:
            os.kill(started.child, signal.SIGKILL)


def serve(answer):
    """Until standard input ends, or nobody has asked for a while."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    gc.freeze()  # keeps the memory that forked processes share with this one shared
    gc.disable()
    server = Server(answer)
    try:
        server.serve()
    finally:
        server.kill()
