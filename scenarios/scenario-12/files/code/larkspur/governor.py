"""The governor: every few seconds, holds the settings of services against the policy, and puts back what differs. What it
does, it tells in its log and in the table governor_audit.

    python3 -m larkspur.governor /etc/governor

The policy: rules in the order of their priority; where several match a service, the one with the highest priority has the last
word on each setting. A rule matches a service that has all of its labels (inventory.toml). HUP reads both files again.
"""

import json
import logging
import os
import signal
import sys
import time
import tomllib
import urllib.error
import urllib.request

import psycopg2

from .log import JsonFormatter

log = logging.getLogger("larkspur.governor")


class Plan:
    def __init__(self, folder):
        with open(f"{folder}/governor.toml", "rb") as file:
            self.settings = tomllib.load(file)
        with open(f"{folder}/policy.toml", "rb") as file:
            self.rules = sorted(tomllib.load(file)["rule"], key=lambda rule: rule["priority"])
        with open(f"{folder}/inventory.toml", "rb") as file:
            self.services = tomllib.load(file)["service"]

    def wanted(self, service):
        """What each setting of a service is to be, and the rule that says so."""
        labels, found = service["labels"], {}
        for rule in self.rules:
            if all(labels.get(name) == value for name, value in rule["match"].items()):
                found |= {name: (value, rule["name"]) for name, value in rule["set"].items() if name in service["settings"]}
        return found


def call(service, data=None):
    request = urllib.request.Request(
        service["url"] + "/admin/settings", method="GET" if data is None else "PUT", data=data and json.dumps(data).encode(),
        headers={"Authorization": f"Bearer {os.environ['LARKSPUR_ADMIN_TOKEN']}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=4) as answer:
        return json.load(answer)


class Audit:
    def __init__(self, settings):
        self.settings, self.connection = settings, None

    def write(self, *line):
        """A connection that the server has closed meanwhile shows only now."""
        try:
            self.insert(*line)
        except psycopg2.OperationalError:
            self.insert(*line)

    def insert(self, service, observed, applied, rules):
        if self.connection is None or self.connection.closed:
            self.connection = psycopg2.connect(
                password=os.environ["LARKSPUR_DB_PASSWORD"], application_name="governor", **self.settings)
            self.connection.autocommit = True
        try:
            with self.connection.cursor() as cursor:
                cursor.execute("INSERT INTO governor_audit (service, observed, applied, rules) VALUES (%s, %s, %s, %s)",
                               (service, json.dumps(observed), json.dumps(applied), rules))
        except psycopg2.Error:
            self.connection.close()
            raise


def round_of(plan, audit):
    for name, service in plan.services.items():
        try:
            observed, wanted = call(service), plan.wanted(service)
            differs = {key: value for key, (value, _) in wanted.items() if observed.get(key) != value}
            if not differs:
                continue
            rules = sorted({rule for key, (_, rule) in wanted.items() if key in differs})
            call(service, {**differs, "note": f"governor: {', '.join(rules)}"})
            log.warning("corrected", extra={"service": name, "observed": observed, "applied": differs, "rules": rules})
            audit.write(name, observed, differs, rules)
        except (OSError, ValueError, psycopg2.Error) as error:
            log.error("round failed", extra={"service": name, "reason": str(error).strip()})


def main(folder="/etc/governor"):
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    plan, audit, again = Plan(folder), None, []
    signal.signal(signal.SIGHUP, lambda *_: again.append(True))
    audit = Audit(plan.settings["database"])
    log.info("started", extra={"rules": [rule["name"] for rule in plan.rules], "services": list(plan.services)})
    while True:
        if again:
            again.clear()
            try:
                plan = Plan(folder)
                log.info("policy read again", extra={"rules": [rule["name"] for rule in plan.rules]})
            except (OSError, ValueError, KeyError, TypeError) as error:
                log.error("policy not read, the old one stays", extra={"reason": str(error)})
        round_of(plan, audit)
        time.sleep(plan.settings["governor"]["interval_seconds"])


if __name__ == "__main__":
    main(*sys.argv[1:])
