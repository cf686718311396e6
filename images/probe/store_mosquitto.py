"""Describes an MQTT broker as grading compares it: what each login may publish and read, which messages are retained, and whose password
is not what it should be. A broker tells nobody its lists, so all of it is found by trying. No other client hears of it, except of the
samples, which the author of a scenario chose to do no harm.

Standard input: {"host", "port", "reader": login, "logins": {login: password}, "revoked": {login: password}, "refused": [password, ...],
"topics": [topic, ...], "samples": [{"login", "topic", "message"}, ...], "topics_may_change": [start of a topic, ...],
"guesses": whether passwords are guessed}
Standard output: {"things": {name: digest}, "room": {}, "wrong": [text, ...]}
"""

import contextlib
import hashlib
import json
import struct
import sys

from store_common import guesses_for, in_threads, leave
from mqtt_client import RECEIVE_MAXIMUM, Mqtt, fresh_name
from store_stream import Unreadable

FAILURES = (Unreadable, OSError, EOFError, struct.error, IndexError)
NOBODY = "(no name)"
VERSION = "$SYS/broker/version"
# Who may have been given an account beside those that are known.
USUAL = ("admin", "guest", "mosquitto", "mqtt", "root", "test", "user")
MOST_ATTEMPTS = 320
MOST_AT_ONCE = 50


def connect(spec, login, password, name=None):
    user = None if login == NOBODY and password is None else login
    return Mqtt(spec["host"], spec["port"], user, password, name)


def lets_in(spec, login, password):
    with connect(spec, login, password) as client:
        return client.code == 0


def tried_topics(spec, fresh):
    """What is tried, by what it is called: the declared topics, new ones below each part of them, and those of a login of another name.
    Where a rule is for the name of the client, this is that name."""
    found = {topic: topic for topic in spec["topics"]}
    found["any other topic"] = fresh
    for topic in spec["topics"]:
        levels = topic.split("/")
        for count in range(1, len(levels) + 1):
            start = "/".join(levels[:count])
            found[f"another topic below {start}"] = f"{start}/{fresh}"
        others = [fresh if level in spec["logins"] else level for level in levels]
        if others != levels:
            found[f"what is {'/'.join('...' if level == fresh else level for level in others)} for another"] = "/".join(others)
    return found


def may_publish(spec, login, password):
    """The names of what this login may publish."""
    fresh = fresh_name()
    left, allowed = list(tried_topics(spec, fresh).items()), []
    while left:
        with connect(spec, login, password, fresh) as client:
            room = min(client.limits.get(RECEIVE_MAXIMUM, MOST_AT_ONCE), MOST_AT_ONCE)
            if room == 0:
                raise Unreadable("it takes no messages")
            while left and room > 0:
                now, left = left[:room], left[room:]
                taken = [called for (called, _), took in zip(now, client.may_publish([topic for _, topic in now])) if took]
                allowed += taken
                room -= len(taken)
    return allowed


class Readers:
    """A connection for each login, all of them subscribed to everything."""

    def __init__(self, spec, logins):
        self.spec, self.clients = spec, {}
        self.opened = contextlib.ExitStack()
        self.logins = logins

    def __enter__(self):
        for login, password in self.logins:
            client = self.opened.enter_context(connect(self.spec, login, password))
            client.subscribe(["#", VERSION, *self.spec["topics"]])
            self.clients[login] = client
        for client in self.clients.values():
            client.settle()
        return self

    def __exit__(self, *_):
        self.opened.close()

    def send_samples(self):
        """What was sent. All of it is delivered afterwards."""
        sent = set()
        for number, sample in enumerate(self.spec["samples"]):
            if client := self.clients.get(sample["login"]):
                message = sample["message"].replace("$nonce", f"{fresh_name()}{number}").encode()
                client.publish(sample["topic"], message)
                sent.add((sample["topic"].encode(), message))
        for client in self.clients.values():
            client.settle()
        return sent


def digest(value):
    return hashlib.sha256(value).hexdigest()[:10]


def shown(topic):
    return topic.decode("utf-8", "backslashreplace")


def messages_of(spec, clients, sent):
    """What is retained, and who may read what of it and of the samples."""
    changing = tuple(start.encode() for start in spec["topics_may_change"])
    things = {}
    for login, client in clients.items():
        for retained, topic, message in client.messages:
            if topic.startswith(changing):
                continue
            own = topic.startswith(b"$")
            if (retained and (not own or topic == VERSION.encode())) or (topic, message) in sent:
                things[f"right of {login} to read {shown(topic)}"] = "yes"
            if retained and not own and login == spec["reader"]:
                things[f"retained message {shown(topic)}"] = digest(message)
    return things


def wrong_logins(spec, works):
    found = [f"the login {login} does not work" for login, worked in zip(spec["logins"], works) if worked is not True]
    revoked = list(spec["revoked"].items())
    still = in_threads(lambda entry: lets_in(spec, *entry), revoked, FAILURES)
    found += [f"the login {login} works, which was revoked" for (login, _), worked in zip(revoked, still) if worked is True]
    if not spec["guesses"]:
        return found
    # Somebody else's password is tried, too: lists of passwords are copied and renamed.
    others = list(spec["logins"].values())
    others = dict(zip(spec["logins"], others[-1:] + others))
    attempts = [
        (login, guess)
        for login, right in spec["logins"].items()
        for guess in ("", *guesses_for(login, "mosquitto", (*spec["refused"], others[login])), None)
        if guess != right
    ]
    attempts += [(login, guess) for login in USUAL if login not in spec["logins"] for guess in (login, "password", "")]
    if len(attempts) > MOST_ATTEMPTS:
        return [*found, "the broker has too many logins to check"]
    guessed = {login for (login, _), worked in zip(attempts, in_threads(lambda entry: lets_in(spec, *entry), attempts, FAILURES)) if worked is True}
    return [*found, *(f"the broker lets {login} in without its password, or with one that is easily guessed" for login in sorted(guessed))]


def describe(spec):
    every = [*spec["logins"].items(), (NOBODY, None)]
    works = in_threads(lambda entry: lets_in(spec, *entry), every, FAILURES)
    if failed := next((work for work in works if isinstance(work, Exception)), None):
        raise failed
    logins = [entry for entry, worked in zip(every, works) if worked]
    things = {f"login of {NOBODY}": "works"} if works[-1] else {}
    allowed = in_threads(lambda entry: may_publish(spec, *entry), logins, FAILURES)
    if failed := next((names for names in allowed if isinstance(names, Exception)), None):
        raise failed
    for (login, _), names in zip(logins, allowed):
        things |= {f"right of {login} to publish {name}": "yes" for name in names}
    with Readers(spec, logins) as readers:
        things |= messages_of(spec, readers.clients, readers.send_samples())
        if reader := readers.clients.get(spec["reader"]):
            things["limits of the broker"] = digest(json.dumps(sorted(reader.limits.items())).encode())
    return {"things": things, "room": {}, "wrong": wrong_logins(spec, works[:-1])}


try:
    print(json.dumps(describe(json.load(sys.stdin)), separators=(",", ":")))
except FAILURES as error:
    leave(str(error) or "it does not answer as an MQTT broker does", error)
