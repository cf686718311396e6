"""Answers questions about the sandbox's network, one JSON object a line, many at once: {"id", "ask", ...} -> {"id", ...}.

ask: http    see customer.py
     tcp     {"host", "port"} -> {"open": bool, "error"?}
     dns     {"name"} -> {"addresses": [...]}
     script  {"text", "env", "stdin"?, "timeout_ms"} -> {"exit_code", "stdout", "stderr"}: a shell script, in a folder of its own
     load    {"requests": [...], "concurrency", "seconds", "timed_seconds"} -> {"count", "errors", "sample", "p50_ms", "p95_ms", "control_p95_ms"};
             latencies are those of requests that began in the first timed_seconds
     traffic {"traffic": [...]} -> {}: customers of every day, who stay when this program ends; see traffic.py
     pace    {"pace"} -> {}: how busy the background customers are from now on, 1 being as authored

It observes and reports; what an observation means is decided elsewhere.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

import customer

MAX_OUTPUT = 64 * 1024
writing = threading.Lock()


def tcp(order):
    try:
        with socket.create_connection((order["host"], order["port"]), order.get("timeout_ms", 3000) / 1000):
            return {"open": True}
    except OSError as error:
        return {"open": False, "error": error.strerror or str(error)}


def dns(order):
    try:
        found = socket.getaddrinfo(order["name"], None, family=socket.AF_INET, proto=socket.IPPROTO_TCP)
        return {"addresses": sorted({entry[4][0] for entry in found})}
    except OSError as error:
        return {"addresses": [], "error": error.strerror or str(error)}


def give_way():
    """When memory runs out because of what the sandbox answers, the script goes, not the one who reports it."""
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def script(order):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", **order["env"]}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(
                ["sh", "-c", order["text"]],
                cwd=folder,
                env=environment,
                start_new_session=True,
                preexec_fn=give_way,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
            )
            try:
                child.communicate(order.get("stdin", "").encode(), timeout=order["timeout_ms"] / 1000)
                code = child.returncode
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                code = None
            out.seek(0)
            err.seek(0)
            return {
                "exit_code": code,
                "stdout": out.read(MAX_OUTPUT).decode("utf-8", "replace"),
                "stderr": err.read(MAX_OUTPUT).decode("utf-8", "replace"),
            }


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def control(stop, times):
    """The same kind of request to a server of our own: how slow is this machine by itself?"""
    with subprocess.Popen([sys.executable, f"{os.path.dirname(__file__)}/echo.py"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as server:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
        while not stop.is_set():
            times.append(customer.request({"url": url})["ms"])
            stop.wait(0.05)
        server.kill()


def load(order):
    stop, answers, times, control_times = threading.Event(), [], [], []
    started = time.monotonic()
    until, timed_until = started + order["seconds"], started + order["timed_seconds"]

    def visitor(number):
        requests = order["requests"]
        while (began := time.monotonic()) < until:
            wanted = requests[number % len(requests)]
            number += 1
            answer = customer.request(wanted)
            answers.append((answer.get("status"), answer.get("error"), wanted.get("expect_status", 200)))
            if began < timed_until:
                times.append(answer["ms"])

    watcher = threading.Thread(target=control, args=(stop, control_times))
    watcher.start()
    visitors = [threading.Thread(target=visitor, args=(number,)) for number in range(order["concurrency"])]
    for thread in visitors:
        thread.start()
    for thread in visitors:
        thread.join()
    stop.set()
    watcher.join()
    wrong = [answer for answer in answers if answer[0] != answer[2]]
    sample = wrong[0][1] or f"status {wrong[0][0]}" if wrong else None
    return {
        "count": len(answers),
        "errors": len(wrong),
        "sample": sample,
        "p50_ms": percentile(times, 0.5),
        "p95_ms": percentile(times, 0.95),
        "control_p95_ms": percentile(control_times, 0.95),
    }


def traffic(order):
    arguments = [sys.executable, f"{os.path.dirname(__file__)}/traffic.py", json.dumps(order["traffic"])]
    subprocess.Popen(arguments, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {}


def set_pace(order):
    with open("/run/traffic-pace.new", "w") as file:
        file.write(str(order["pace"]))
    os.replace(file.name, "/run/traffic-pace")
    return {}


ASKS = {"http": customer.request, "tcp": tcp, "dns": dns, "script": script, "load": load, "traffic": traffic, "pace": set_pace}


def answer(order):
    try:
        reply = ASKS[order["ask"]](order)
    except Exception as error:  # the asker must hear of everything
        reply = {"failed": f"{type(error).__name__}: {error}"}
    with writing:
        sys.stdout.write(json.dumps({"id": order["id"], **reply}) + "\n")
        sys.stdout.flush()


def main():
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()


main()
