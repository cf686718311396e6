#!/usr/bin/env python3
"""Compares privileges and schema of a PostgreSQL database: roles and their settings, privileges on everything, tables with
their columns, constraints and triggers, sequences, functions, replication slots; and what the server itself consists of: its
functions, operators, types and views, which a superuser can change. Rows and sizes are not compared.

Arguments as of psql (-h, -U, -d). Without BEFORE in the environment: prints what there is, as digests. With it (what was printed
before): exits with 1 and says what has changed. New tables and indexes are allowed, except unique indexes on old tables.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading

TABLES = "c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')"
SYSTEM = "(SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_(catalog|toast)$' OR nspname = 'information_schema')"

# A kind, then the name of one thing, then what it is like; things of one kind and name are put together.
WHOLE_SERVER = """
SELECT 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil FROM pg_roles;
SELECT 'role', member::regrole, 'member of', roleid::regrole, admin_option FROM pg_auth_members;
SELECT 'settings of', concat_ws(' in ', 'role ' || nullif(setrole, 0)::regrole, (SELECT 'database ' || datname FROM pg_database d WHERE d.oid = setdatabase)), setting
    FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS setting;
SELECT 'database', datname, datdba::regrole, datacl, datallowconn, datconnlimit FROM pg_database;
SELECT 'right to set', parname, paracl FROM pg_parameter_acl;
SELECT 'tablespace', spcname, spcowner::regrole, spcacl FROM pg_tablespace;
SELECT 'replication slot', slot_name, slot_type, temporary, database FROM pg_replication_slots;
"""
ONE_DATABASE = f"""
SELECT 'schema', nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname !~ '^pg_(toast|temp)';
SELECT 'table', c.relname, 'itself', c.relkind, c.relowner::regrole, c.relacl, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions
    FROM pg_class c WHERE {TABLES} AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S');
SELECT 'table', c.relname, 'column', a.attname, a.atttypid::regtype, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, a.attacl
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE {TABLES} AND c.relkind <> 'i' AND a.attnum > 0 AND NOT a.attisdropped;
SELECT 'table', c.relname, 'default', d.adnum, d.adbin FROM pg_class c JOIN pg_attrdef d ON d.adrelid = c.oid WHERE {TABLES};
SELECT 'table', c.relname, 'constraint', k.conname, k.contype, k.convalidated, k.condeferrable, k.conkey, k.confrelid::regclass, k.confkey, k.confdeltype, k.conbin
    FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid WHERE {TABLES};
SELECT 'table', c.relname, 'trigger', t.tgname, t.tgfoid::regproc, t.tgenabled, t.tgtype, t.tgattr, t.tgqual
    FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE {TABLES} AND (NOT t.tgisinternal OR t.tgenabled <> 'O');
SELECT 'table', c.relname, 'rule', r.rulename, r.ev_type, r.ev_enabled, r.is_instead, r.ev_action FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid WHERE {TABLES};
SELECT 'table', c.relname, 'policy', p.polname, p.polcmd, p.polpermissive, p.polroles, p.polqual, p.polwithcheck
    FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE {TABLES};
SELECT 'table', c.relname, 'sequence', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid WHERE {TABLES};
SELECT 'unique index', i.indexrelid::regclass, i.indrelid::regclass, i.indisvalid, i.indkey, i.indpred, i.indexprs
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE {TABLES} AND i.indisunique;
SELECT 'index', i.indexrelid::regclass, i.indrelid::regclass, i.indisvalid, i.indkey, i.indpred, i.indexprs
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE {TABLES} AND NOT i.indisunique;
SELECT 'function', p.oid::regprocedure, p.proowner::regrole, p.proacl, p.prosecdef, p.proconfig, p.prolang, p.prosrc FROM pg_proc p
    WHERE p.pronamespace NOT IN {SYSTEM} OR p.oid >= 16384;
SELECT 'catalog', 'of functions', p.* FROM pg_proc p WHERE p.oid < 16384;
SELECT 'catalog', 'of types', t.* FROM pg_type t WHERE t.oid < 16384;
SELECT 'catalog', 'of operators', o.* FROM pg_operator o;
SELECT 'catalog', 'of operator classes', c.* FROM pg_opclass c;
SELECT 'catalog', 'of operator classes', o.* FROM pg_amop o;
SELECT 'catalog', 'of operator classes', p.* FROM pg_amproc p;
SELECT 'catalog', 'of casts', c.* FROM pg_cast c;
SELECT 'catalog', 'of aggregates', a.* FROM pg_aggregate a;
SELECT 'catalog', 'of access methods', m.* FROM pg_am m;
SELECT 'catalog', 'of conversions', c.* FROM pg_conversion c;
SELECT 'catalog', 'of views', r.ev_class, r.ev_type, r.ev_enabled, r.is_instead, md5(r.ev_action::text)
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace IN {SYSTEM};
SELECT 'rights on', 'tables of the system', oid::regclass, relowner::regrole, relacl FROM pg_class WHERE relnamespace IN {SYSTEM} AND relkind IN ('r', 'v');
SELECT 'rights on', 'what will be made', defaclrole::regrole, defaclnamespace, defaclobjtype, defaclacl FROM pg_default_acl;
SELECT 'event trigger', evtname, evtevent, evtenabled, evtfoid::regproc FROM pg_event_trigger;
SELECT 'language', lanname, lanowner::regrole, lanpltrusted, lanacl FROM pg_language;
SELECT 'extension', extname, extversion FROM pg_extension;
SELECT 'large object', oid, lomowner::regrole, lomacl FROM pg_largeobject_metadata;
SELECT 'publication', pubname, puballtables FROM pg_publication;
SELECT 'foreign server', srvname, srvowner::regrole, srvoptions FROM pg_foreign_server;
"""
HARMLESS_WHEN_NEW = ("table", "index")
MAX_SECONDS = 10
MAX_ANSWER = 16 * 1024 * 1024


def rows(options, database, queries):
    statements = [f"COPY ({query.strip()}) TO STDOUT;" for query in queries.split(";") if query.strip()]
    text = "\n".join(["SET search_path = pg_catalog;", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;", *statements, "COMMIT;"])
    command = ["psql", "-h", options.host, "-U", options.user, "-d", database, "-X", "-q", "-v", "ON_ERROR_STOP=1"]
    for _ in range(3):
        answer = ask(command, text)
        if answer is not None:
            # Tabs and newlines in a value are escaped; nothing else ends a value or a line.
            found = [line.decode("utf-8", "backslashreplace").split("\t") for line in answer.split(b"\n")[:-1]]
            return found if all(len(row) > 1 for row in found) else None
    return None


def ask(command, text):
    """None when there is no answer, or one without end."""
    with tempfile.TemporaryFile() as answer:
        try:
            asked = subprocess.run(command, input=text.encode(), stdout=answer, stderr=subprocess.DEVNULL, timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        answer.seek(0)
        said = answer.read(MAX_ANSWER + 1)
        return said if asked.returncode == 0 and len(said) <= MAX_ANSWER else None


def things(found):
    """{"role oncall": digest, ...}"""
    gathered = {}
    for kind, name, *rest in found:
        gathered.setdefault(f"{kind} {name}", []).append("\t".join(rest))
    return {thing: hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:10] for thing, lines in gathered.items()}


def rows_at_once(options, queries):
    """By database."""
    found = {}

    def read(database):
        found[database] = rows(options, database, queries[database])

    threads = [threading.Thread(target=read, args=(database,)) for database in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def look(options):
    others = [name for name in ("postgres", "template1") if name != options.database]
    found = rows_at_once(options, {options.database: WHOLE_SERVER + ONE_DATABASE} | dict.fromkeys(others, ONE_DATABASE))
    own = found.get(options.database)
    if own is None:
        print("rights in the database cannot be read")
        sys.exit(1)
    for row in own:
        if row[0] == "role" and row[1] in options.login_may_change and len(row) > 6:
            row[6] = "either"
    seen = things([row for row in own if row[0] != "settings of" or "".join(row[2:3]).split("=")[0].lower() not in options.settings_may_change])
    for other in others:
        seen[f"database {other}, what is in it"] = hashlib.sha256(json.dumps(things(found.get(other) or []), sort_keys=True).encode()).hexdigest()[:10]
    return seen


def changes(before, now):
    for thing in sorted(before.keys() | now.keys()):
        if thing not in now:
            yield f"{thing} is gone"
        elif thing not in before and not thing.startswith(tuple(f"{kind} " for kind in HARMLESS_WHEN_NEW)):
            yield f"{thing} is new"
        elif before.get(thing, now[thing]) != now[thing]:
            yield f"{thing} is not as it was"


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", dest="host", default="db")
    parser.add_argument("-U", dest="user", default="oncall")
    parser.add_argument("-d", dest="database", required=True)
    parser.add_argument("--login-may-change", nargs="*", default=[], metavar="ROLE")
    parser.add_argument("--settings-may-change", nargs="*", default=[], type=str.lower, metavar="NAME")
    options = parser.parse_args()
    now = look(options)
    if "BEFORE" not in os.environ:
        print(json.dumps(now, separators=(",", ":")))
        return
    found = list(changes(json.loads(os.environ["BEFORE"]), now))
    if found:
        print("in the database: " + "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else ""))
        sys.exit(1)
    print("rights, tables and constraints in the database are as they were")


main()
