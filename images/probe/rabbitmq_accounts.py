"""Accounts of a RabbitMQ broker: what each may do, and whose password is not what it should be. Guesses are compared with the hash that
the API shows, so that no login fails."""

import base64
import hashlib
import json
import struct

from amqp_client import Amqp, Refused
from store_common import guesses_for, in_threads
from store_stream import Unreadable

MOST_ACCOUNTS = 500
HASHES = {f"rabbit_password_hashing_{name}": name for name in ("sha256", "sha512", "md5")}
SALT = 4
FAILURES = (Unreadable, Refused, OSError, EOFError, struct.error)


def data(value):
    return json.dumps(value, sort_keys=True).encode()


def is_password(user, password):
    kept = base64.b64decode(user["password_hash"])
    return len(kept) > SALT and hashlib.new(HASHES[user["hashing_algorithm"]], kept[:SALT] + password.encode()).digest() == kept[SALT:]


def accounts(spec, said):
    """Who has an account, and what each may do."""
    for user in said["users"]:
        name = user["name"]
        yield f"account {name}", data([user.get("tags"), user.get("limits")])
        # A broker that reads passwords from a file keeps each by another salt after every start.
        if name not in spec["logins"]:
            yield f"password of {name}", data([user["password_hash"], user["hashing_algorithm"]])
    for rights in said["permissions"]:
        yield f"rights of {rights['user']} in {rights['vhost']}", data(rights)
    for rights in said["topic_permissions"]:
        yield f"topic rights of {rights['user']} in {rights['vhost']}", data(rights)


def logs_in(spec, said, name):
    vhosts = [rights["vhost"] for rights in said["permissions"] if rights["user"] == name]
    try:
        with Amqp(spec["host"], spec["port"], name, spec["logins"][name], min(vhosts, default=None), patience=0) as client:
            if vhosts:
                client.end()
        return True
    except Refused:
        return False


def wrong_logins(spec, said):
    users = {user["name"]: user for user in said["users"]}
    if len(users) > MOST_ACCOUNTS:
        return ["the broker has too many accounts to check"]
    strange = sorted(name for name, user in users.items() if user["hashing_algorithm"] not in HASHES)
    if strange:
        return [f"the password of {name} is kept in a way that is not known" for name in strange]
    works = in_threads(lambda name: name in users and is_password(users[name], spec["logins"][name]) and logs_in(spec, said, name), list(spec["logins"]), FAILURES)
    for answer in works:
        if isinstance(answer, Exception):
            raise answer
    found = [f"the login {name} does not work" for name, worked in zip(spec["logins"], works) if not worked]
    for name, user in sorted(users.items()):
        right = spec["logins"].get(name)
        guesses = {"", *guesses_for(name, "rabbitmq", spec["refused"]), *spec["logins"].values()}
        if any(is_password(user, guess) for guess in guesses if guess != right):
            found.append(f"the broker lets {name} in with a password that is easily guessed, or of somebody else, or an old one")
    return found
