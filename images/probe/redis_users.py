"""Who may log in to a Redis server or a sentinel, as ACL LIST tells it, and whose password is tried first."""

import hashlib
import re

from hostile import text
from store_common import NoAnswer, guesses_for

# What is the case anyhow; a server says it of some users, and after a restart of others.
ANYHOW = b"sanitize-payload"


def words_of(rule):
    """The words of a user's rule; a selector in parentheses is one. Names and patterns hold no space."""
    return re.findall(rb"\([^)]*\)|[^ ]+", rule)


def users_of(rules):
    """{name: words} of what ACL LIST says."""
    if not isinstance(rules, list) or not all(isinstance(rule, bytes) and rule.startswith(b"user ") for rule in rules):
        raise NoAnswer("the users cannot be read")
    return {words[1]: words[2:] for words in map(words_of, rules)}


def rule_of(words, with_passwords):
    """What a user may do. The server lists it from what is allowed in the end, in no order of its own."""
    parts = {b" ".join(sorted(word.strip(b"()").split(b" "))) if word.startswith(b"(") else word for word in words if word != ANYHOW}
    return b"\n".join(sorted(part for part in parts if with_passwords or not part.startswith(b"#")))


def described(users, passwords_may_change=()):
    return [(f"user {text(name)}", rule_of(words, text(name) not in passwords_may_change)) for name, words in users.items()]


def takes(words, guess):
    """Whether this password lets the user in. The server keeps SHA-256 of passwords, so nobody has to try."""
    return b"nopass" in words or b"#" + hashlib.sha256(guess.encode()).hexdigest().encode() in words


def easily_guessed(host, users, refused, is_open):
    """Those who may log in with a password that is tried first. Where nobody needs a password from the beginning, `default` is no news."""
    return [
        f"{host} lets {text(name)} in without a password, or with one that is easily guessed"
        for name, words in sorted(users.items())
        if b"on" in words and not (is_open and name == b"default")
        and any(takes(words, guess) for guess in ("", *guesses_for(text(name), "redis", refused)))
    ]
