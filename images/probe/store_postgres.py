"""Describes a PostgreSQL server as grading compares it: privileges and schema (pg_things.py), settings, room in its sequences, and whose
password is not what it should be.

Standard input: {"host", "database", "user", "password", "logins": {role: password}, "refused": [password, ...],
"login_may_change": [role, ...], "settings_may_change": [name, ...], "guesses": whether passwords are guessed}
Standard output: {"things": {name: digest}, "room": {name: number}, "taken": {name: number}, "wrong": [text, ...]}
"""

import hashlib
import json
import os
import sys

import psycopg2
from pg_things import ONE_DATABASE, WHOLE_SERVER, NoAnswer, is_refusal, is_silence, read, things, without
from store_common import NO_ANSWER, guesses_for, in_threads

ALWAYS_THERE = ("postgres", "template1")
SETTINGS = """
SELECT 'setting', name, setting FROM pg_settings WHERE name <> 'search_path' AND name NOT LIKE 'transaction%';
"""
# Columns whose values a sequence of their own makes. A sequence that nobody may read has no last value.
SEQUENCES = """
SELECT format('%I.%I', n.nspname, c.relname), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, pg_sequence_last_value(c.oid),
    quote_ident(tn.nspname) || '.' || quote_ident(t.relname), quote_ident(a.attname)
    FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
    LEFT JOIN pg_class t ON t.oid = d.refobjid LEFT JOIN pg_namespace tn ON tn.oid = t.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, 'SELECT') END
"""
LOGINS = "SELECT rolname FROM pg_roles WHERE rolcanlogin"
SAID_TO_THE_RIGHT_ONE = ("not permitted to log in", "permission denied for database", "too many connections", "remaining connection slots")
MOST_ATTEMPTS = 96


def connect(spec, user, password, database=None):
    return psycopg2.connect(
        host=spec["host"], user=user, password=password, dbname=database or spec["database"], connect_timeout=4, application_name=""
    )


def lets_in(spec, user, password):
    """Whether the server knows this password. That a role may not log in, or not here or now, is said only to whoever knows it."""
    try:
        connect(spec, user, password).close()
        return True
    except psycopg2.OperationalError as error:
        if any(words in str(error) for words in SAID_TO_THE_RIGHT_ONE):
            return True
        if is_refusal(error):
            return False
        raise NoAnswer(str(error).strip().split("\n")[0]) from None


def let_in(spec, logins):
    """Whether the server lets each in. Raises NoAnswer if that cannot be said of one of them."""
    answers = in_threads(lambda login: lets_in(spec, *login), logins, NoAnswer)
    for answer in answers:
        if isinstance(answer, NoAnswer):
            raise answer
    return answers


def wrong_logins(spec, roles):
    """The password of each login works, and nobody is let in by one that is easily guessed, or was once valid."""
    right = list(spec["logins"].items())
    found = [f"the login {role} does not work" for (role, _), works in zip(right, let_in(spec, right)) if not works]
    if not spec["guesses"]:
        return found
    guesses = [
        (role, guess)
        for role in sorted(roles)
        for guess in dict.fromkeys((*guesses_for(role, "postgres", spec["refused"]), *spec["logins"].values()))
        if guess != spec["logins"].get(role)
    ]
    if len(guesses) > MOST_ATTEMPTS:
        return [*found, "the database has too many logins to check"]
    guessed = {role for (role, _), works in zip(guesses, let_in(spec, guesses)) if works}
    return [*found, *(f"the database lets {role} in without its password, or with one that is easily guessed" for role in sorted(guessed))]


def sequences(cursor):
    """How many values each has left, how many it has given, and what is wrong with those that would give a value again."""
    cursor.execute(SEQUENCES)
    room, taken, wrong = {}, {}, []
    for name, step, lowest, highest, start, last, table, column in cursor.fetchall():
        if last is None:
            continue
        taken[f"sequence {name}"] = (last - start) // step + 1
        room[f"sequence {name}"] = (highest - last) // step if step > 0 else (last - lowest) // -step
        if table is None:
            continue
        cursor.execute(f"SELECT {'max' if step > 0 else 'min'}({column}) FROM {table}")
        (furthest,) = cursor.fetchone()
        if furthest is not None and (furthest > last if step > 0 else furthest < last):
            wrong.append(f"sequence {name} is behind what it has already given out")
    return room, taken, wrong


def own_database(spec):
    """The rows of things with the digests of the catalogs, room with what is wrong, and who may log in."""
    answer = read(spec["host"], spec["user"], spec["database"], WHOLE_SERVER + ONE_DATABASE + SETTINGS)
    if answer is None:
        raise psycopg2.DataError("it does not let itself be read")
    connection = connect(spec, spec["user"], spec["password"])
    try:
        connection.set_session("REPEATABLE READ", readonly=True)
        with connection.cursor() as cursor:
            cursor.execute("SET search_path = pg_catalog")
            cursor.execute(LOGINS)
            roles = [name for (name,) in cursor.fetchall()]
            return answer, sequences(cursor), roles
    finally:
        connection.close()


def describe(spec):
    os.environ["PGPASSWORD"] = spec["password"]
    others = [name for name in ALWAYS_THERE if name != spec["database"]]
    tasks = [lambda: own_database(spec), *(lambda name=name: read(spec["host"], spec["user"], name, ONE_DATABASE) for name in others)]
    own, *found = in_threads(lambda task: task(), tasks, (psycopg2.Error, NoAnswer))
    for failed in (own, *found):
        if isinstance(failed, Exception):
            raise failed
    (rows, catalogs), (room, taken, wrong), roles = own
    seen = things(without(rows, spec["login_may_change"], spec["settings_may_change"])) | catalogs
    for name, answer in zip(others, found):
        other_rows, other_catalogs = answer or ([], {})
        described = json.dumps(things(other_rows) | other_catalogs, sort_keys=True)
        seen[f"database {name}, what is in it"] = hashlib.sha256(described.encode()).hexdigest()[:10]
    return {"things": seen, "room": room, "taken": taken, "wrong": [*wrong, *wrong_logins(spec, roles)]}


try:
    print(json.dumps(describe(json.load(sys.stdin)), separators=(",", ":")))
except NoAnswer as error:
    print(error, file=sys.stderr)
    sys.exit(NO_ANSWER)
except psycopg2.Error as error:
    print(str(error).strip().split("\n")[0], file=sys.stderr)
    sys.exit(NO_ANSWER if is_silence(error) else 1)
