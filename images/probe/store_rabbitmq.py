"""Describes a RabbitMQ broker as grading compares it: virtual hosts, accounts and what they may do, exchanges, queues and the ways between
them, policies, parameters, limits, listeners, plugins and watermarks, as its management API tells them; and whose password is not what
it should be (rabbitmq_accounts.py).

Standard input: {"host", "port", "management_port", "user", "password", "logins": {user: password}, "refused": [password, ...],
"unacknowledged": [queue, ...], "policy_keys_may_change": [key of a policy, ...]}
Standard output: {"things": {name: digest}, "room": {}, "wrong": [text, ...]}
"""

import json
import re
import sys
import time

from rabbitmq_accounts import FAILURES, accounts, data, wrong_logins
from store_common import digests, in_threads, leave
from store_stream import Unreadable, get_json

# How long a broker may take to be all there after a start.
SETTLE_SECONDS, PAUSE_SECONDS = 12, 0.4
# Exchanges that every virtual host has; clients cannot make such names.
OWN = "amq."
QUESTIONS = {
    "definitions": "definitions",
    "vhosts": "vhosts?columns=name,description,tags,default_queue_type,tracing",
    "exchanges": "exchanges?columns=vhost,name,type,durable,auto_delete,internal,arguments",
    "operator_policies": "operator-policies",
    "vhost_limits": "vhost-limits",
    "user_limits": "user-limits",
    "consumers": "consumers",
    "nodes": "nodes",
    "overview": "overview?columns=listeners",
}


def without(entry, *names):
    return {key: value for key, value in entry.items() if key not in names}


def ask(spec, path):
    """Whoever does not answer is asked again when all is."""
    return get_json(spec["host"], spec["management_port"], f"/api/{path}", spec["user"], spec["password"], patience=0)


def is_all_there(found):
    """A node tells of its watermarks some seconds after its start."""
    return bool(found) and all(node["running"] and "mem_limit" in node for node in found)


def asked(spec, until):
    """What the API says, by question."""
    if not is_all_there(ask(spec, "nodes")) and time.monotonic() < until:
        raise Unreadable("it is still starting")
    found = in_threads(lambda path: ask(spec, path), list(QUESTIONS.values()), FAILURES)
    for answer in found:
        if isinstance(answer, Exception):
            raise answer
    return dict(zip(QUESTIONS, found))


def ways(said, exchanges):
    """Exchanges, queues, and what leads from one to the other. Queues of one connection go with it."""
    for queue in said["queues"]:
        yield f"queue {queue['name']} in {queue['vhost']}", data(queue)
    for exchange in exchanges:
        if exchange["name"] and not exchange["name"].startswith(OWN):
            yield f"exchange {exchange['name']} in {exchange['vhost']}", data(exchange)
    kept = {(queue["vhost"], queue["name"]) for queue in said["queues"]}
    for binding in said["bindings"]:
        if binding["destination_type"] != "queue" or (binding["vhost"], binding["destination"]) in kept:
            yield f"binding of {binding['destination']} to {binding['source']} in {binding['vhost']}", data(binding)


def applies(policy, queue):
    kinds = ("all", "queues", f"{queue.get('type', 'classic')}_queues")
    return policy["vhost"] == queue["vhost"] and policy["apply-to"] in kinds and re.search(policy["pattern"], queue["name"]) is not None


def policies_in_force(spec, said):
    """Of all that match a queue, one applies: another of higher priority takes away what that one says."""
    for queue in said["queues"]:
        best = max((policy for policy in said["policies"] if applies(policy, queue)), key=lambda policy: policy["priority"], default=None)
        definition = {} if best is None else without(best["definition"], *spec["policy_keys_may_change"])
        if definition:
            yield f"policy in force for {queue['name']} in {queue['vhost']}", data(definition)


def policies(spec, said):
    """Policies that say more than a repair may: of what it may change, nobody cares which policy says it."""
    for policy in said["policies"]:
        definition = without(policy["definition"], *spec["policy_keys_may_change"])
        if definition or not policy["definition"]:
            yield f"policy {policy['name']} in {policy['vhost']}", data({**policy, "definition": definition})


def parameters(answers):
    said = answers["definitions"]
    for entry in said["parameters"]:
        yield f"{entry['component']} {entry['name']} in {entry['vhost']}", data(entry["value"])
    for entry in said["global_parameters"]:
        yield f"global parameter {entry['name']}", data(entry["value"])
    for entry in answers["operator_policies"]:
        yield f"policy of operators {entry['name']} in {entry['vhost']}", data(entry)
    for entry in answers["vhost_limits"]:
        yield f"limits of {entry['vhost']}", data(entry)
    for entry in answers["user_limits"]:
        yield f"limits of {entry['user']}", data(entry)
    for entry in answers["vhosts"]:
        yield f"virtual host {entry['name']}", data(entry)


def nodes(answers):
    for entry in answers["overview"]["listeners"]:
        yield f"listener of {entry['protocol']} at port {entry['port']}", data([entry["node"], entry["ip_address"]])
    for node in answers["nodes"]:
        for name in node.get("enabled_plugins", []):
            yield f"plugin {name}", data(node["name"])
        for what, name in (("memory that it may take", "mem_limit"), ("disk that it leaves free", "disk_free_limit")):
            yield f"{what} of {node['name']}", data(node.get(name))
        yield f"ways to log in of {node['name']}", data(sorted(way["name"] for way in node.get("auth_mechanisms", []) if way.get("enabled")))


def wrong_nodes(answers):
    for node in answers["nodes"]:
        if not node["running"]:
            yield f"{node['name']} does not run"
        yield from (f"{node['name']} has an alarm of its {what}" for what, name in (("memory", "mem_alarm"), ("disk", "disk_free_alarm")) if node.get(name))
        if node.get("partitions"):
            yield f"{node['name']} does not see other nodes"


def wrong_consumers(spec, answers):
    """Whoever takes messages without confirming them loses those of a crash."""
    queues = {(entry["queue"]["vhost"], entry["queue"]["name"]) for entry in answers["consumers"] if not entry["ack_required"]}
    return [f"messages of {name} are handed out without waiting until they are confirmed" for _, name in sorted(queues) if name not in spec["unacknowledged"]]


def describe(spec, until):
    answers = asked(spec, until)
    said = answers["definitions"]
    found = [*accounts(spec, said), *ways(said, answers["exchanges"]), *policies(spec, said), *policies_in_force(spec, said), *parameters(answers), *nodes(answers)]
    wrong = [*wrong_logins(spec, said), *wrong_nodes(answers), *wrong_consumers(spec, answers)]
    return {"things": digests(found), "room": {}, "wrong": wrong}


def settled(spec):
    until = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            return describe(spec, until)
        except FAILURES as error:
            said, failed = f"{spec['host']}: {error}", error
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, re.error) as error:
            said, failed = f"an answer of {spec['host']} was not understood", error
        if time.monotonic() > until:
            leave(said, failed)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    print(json.dumps(settled(json.load(sys.stdin)), separators=(",", ":")))
