"""Answers questions about the sandbox's network, one JSON object a line, many at once: {"id", "ask", ...} -> {"id", ...}.

ask: http    see customer.py
     tcp     {"host", "port"} -> {"open": bool, "error"?}
     dns     {"name", "type", "server"?} -> {"answers": [...]} or {"answers": [], "error"}
     script  {"text", "env", "stdin"?, "timeout_ms"} -> {"exit_code", "stdout", "stderr"}: a shell script, in a folder of its own
     load    {"acts": [...], "concurrency", "seconds", "timed_seconds"} -> {"count", "errors", "sample", "p50_ms", "p95_ms", "control_p95_ms"};
             acts: see visit.py; latencies are those of acts that started in the first timed_seconds
     traffic {"traffic": [...]} -> {}: starts the background traffic, which goes on when this program ends; see traffic.py
     records see records.py
     write   see writing_customers.py
     host    -> {"load", "processors"}: how many programs of the whole host want a processor, over the last minute, and how many it has
     pace    {"pace"} -> {}: multiplies the rate of the background traffic from now on; 1 is as authored

It observes and reports; the service decides what an observation means.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time

import customer
import records
import shell_script
import visit
import writing_customers

# Customers look at what they were answered before they go on. Without a pause, a load test would measure how much of the host a sandbox can get.
PAUSE_SECONDS = 0.1

writing = threading.Lock()


def tcp(order):
    try:
        with socket.create_connection((order["host"], order["port"]), order.get("timeout_ms", 3000) / 1000):
            return {"open": True}
    except OSError as error:
        return {"open": False, "error": error.strerror or str(error)}


def dns(order):
    """Asks with dig: a name server of the sandbox, or the resolver that its services use."""
    at = [f"@{order['server']}"] if order.get("server") else []
    command = ["dig", "+short", "+time=2", "+tries=1", *at, order["name"], order["type"]]
    try:
        found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=10)
    except subprocess.TimeoutExpired:
        return {"answers": [], "error": "timed out"}
    if found.returncode != 0:
        return {"answers": [], "error": found.stdout.strip("; \n") or f"dig exited with code {found.returncode}"}
    return {"answers": sorted(found.stdout.split("\n"))[:64]}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def control(stop, times):
    """Times the same kind of request to a server of our own, to tell a slow service from a slow host."""
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

    def visitor(index):
        acts = order["acts"]
        while (began := time.monotonic()) < until:
            wrong, ms = visit.perform(acts[index % len(acts)])
            index += 1
            answers.append(wrong)
            if began < timed_until:
                times.append(ms)
            time.sleep(PAUSE_SECONDS)

    watcher = threading.Thread(target=control, args=(stop, control_times))
    watcher.start()
    visitors = [threading.Thread(target=visitor, args=(index,)) for index in range(order["concurrency"])]
    for thread in visitors:
        thread.start()
    for thread in visitors:
        thread.join()
    stop.set()
    watcher.join()
    wrong = [answer for answer in answers if answer is not None]
    return {
        "count": len(answers),
        "errors": len(wrong),
        "sample": wrong[0] if wrong else None,
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


def host(_order):
    return {"load": os.getloadavg()[0], "processors": os.cpu_count()}


ASKS = {"http": customer.request, "tcp": tcp, "dns": dns, "script": shell_script.run, "load": load, "traffic": traffic, "pace": set_pace, "host": host, "records": records.read, "write": writing_customers.write}


def answer(order):
    try:
        reply = ASKS[order["ask"]](order)
    except Exception as error:  # reported, so that nobody waits for an answer in vain
        reply = {"failed": f"{type(error).__name__}: {error}"}
    with writing:
        sys.stdout.write(json.dumps({"id": order["id"], **reply}) + "\n")
        sys.stdout.flush()


def main():
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()


main()
