"""Runs a shell script of a check, of the background traffic or of a load window in a folder of its own, bounded in time and output."""

import os
import resource
import subprocess
import tempfile

MAX_OUTPUT = 64 * 1024
MAX_FILE = 64 * 1024 * 1024


def give_way():
    """When memory or disk runs out because of what the sandbox answers, the script is killed, not the program that reports it."""
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))


def run(order, max_output=MAX_OUTPUT):
    """{"text", "env", "stdin"?, "timeout_ms"} -> {"exit_code", "stdout", "stderr"}; no exit code when it did not end in time, and one
    below 0 when a signal killed it"""
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
                child.communicate(order.get("stdin", "").encode("utf-8", "replace"), timeout=order["timeout_ms"] / 1000)
                code = child.returncode
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                code = None
            out.seek(0)
            err.seek(0)
            return {
                "exit_code": code,
                "stdout": out.read(max_output).decode("utf-8", "replace"),
                "stderr": err.read(MAX_OUTPUT).decode("utf-8", "replace"),
            }
