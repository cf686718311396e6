"""Performs one act of a customer: {"http": {"url", ..., "expect_status"?}, "writes"?} or {"script": {"text", "env", "timeout_ms"}, "writes"?}.
"{{nonce}}" is replaced by a new value each time. `writes` is what the act writes, see records.py."""

import json
import secrets
import time

import customer
import shell_script
from records import ACKNOWLEDGED, ATTEMPTED, note


NONCE = "{{nonce}}"


def fill(act):
    """Returns the act with its nonce filled in, and the nonce, or None where the act has none."""
    text, nonce = json.dumps(act), secrets.token_hex(8)
    return json.loads(text.replace(NONCE, nonce)), nonce if NONCE in text else None


def perform(act):
    """Returns what went wrong (None if nothing did) and how long it took, in milliseconds."""
    act, _ = fill(act)
    note(ATTEMPTED, act)
    wrong, ms = carry_out(act)
    if wrong is None:
        note(ACKNOWLEDGED, act)
    return wrong, ms


def carry_out(act):
    if "http" in act:
        answer, wanted = customer.request(act["http"]), act["http"].get("expect_status")
        status = answer.get("status", 0)
        is_good = 200 <= status < 300 if wanted is None else status == wanted
        return None if is_good else answer.get("error") or f"status {status}", answer["ms"]
    started = time.monotonic()
    answer = shell_script.run(act["script"])
    ms = round((time.monotonic() - started) * 1000, 1)
    if answer["exit_code"] == 0:
        return None, ms
    return answer["stdout"].strip().split("\n")[0] or f"exited with code {answer['exit_code']}", ms
