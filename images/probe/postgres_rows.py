"""Prints the rows that a query of a PostgreSQL database finds, one a line, as a JSON list of texts.

Standard input: {"host", "database", "user", "password", "query"}. The server only hands out values as text: functions and types of its own
are compared by store_postgres.py.
"""

import json
import sys

import psycopg2
from pg_things import is_silence
from store_common import NO_ANSWER

MAX_ROWS = 20_001
BATCH = 2_000


def main():
    spec = json.load(sys.stdin)
    connection = psycopg2.connect(
        host=spec["host"], user=spec["user"], password=spec["password"], dbname=spec["database"], connect_timeout=4, application_name=""
    )
    connection.set_session("REPEATABLE READ", readonly=True)
    with connection.cursor() as cursor:
        cursor.execute("SET search_path = pg_catalog")
    with connection.cursor("rows") as cursor:
        cursor.itersize = BATCH
        cursor.execute(spec["query"])
        for index, row in enumerate(cursor):
            if index >= MAX_ROWS:
                break
            print(json.dumps([None if value is None else str(value) for value in row]))


try:
    main()
except psycopg2.Error as error:
    print(str(error).strip().split("\n")[0], file=sys.stderr)
    sys.exit(NO_ANSWER if is_silence(error) else 1)
