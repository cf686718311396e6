"""What a PostgreSQL database consists of, as a digest of each thing in it: roles and their settings, privileges on everything, tables
with their columns, constraints and triggers, views, indexes, sequences, types, functions, replication slots; and what the server itself
is built of, which a superuser can change. Rows and sizes are not part of it.

What does no harm when it is new has a kind of its own (`mayAppear` of postgres.ts): a table that is its owner's alone, an index of columns, a
type. What may do harm does not share it: whatever others may do with a table, a view, which acts with its owner's rights, and an index that
calculates, which may fail for rows to come."""

import hashlib

import psycopg2

OWN = "(SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')"
TABLES = f"c.relnamespace IN {OWN}"
LIKE_TABLES = f"{TABLES} AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')"
TABLE = "CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END"
SYSTEM = "(SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_(catalog|toast)$' OR nspname = 'information_schema')"

# A kind, then the name of one thing, then what it is like; things of one kind and name are put together. The server's own triggers are
# called after their constraint. They stand on both tables of a reference: a new table that references another changes that one. Where in its
# text an expression of an index stood is forgotten when the index is built anew.
WHOLE_SERVER = """
SELECT 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, nullif(rolvaliduntil, 'infinity') FROM pg_roles;
SELECT 'role', member::regrole, 'member of', roleid::regrole, admin_option FROM pg_auth_members;
SELECT 'settings of', concat_ws(' in ', 'role ' || nullif(setrole, 0)::regrole, (SELECT 'database ' || datname FROM pg_database d WHERE d.oid = setdatabase)), setting
    FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS setting;
SELECT 'database', datname, datdba::regrole, datacl, datallowconn, datconnlimit FROM pg_database;
SELECT 'right to set', parname, paracl FROM pg_parameter_acl;
SELECT 'tablespace', spcname, spcowner::regrole, spcacl FROM pg_tablespace;
SELECT 'replication slot', slot_name, slot_type, temporary, database FROM pg_replication_slots;
SELECT 'subscription', subname, subowner::regrole, subenabled, subslotname, subpublications FROM pg_subscription;
"""
ONE_DATABASE = f"""
SELECT 'schema', nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname !~ '^pg_(toast|temp)';
SELECT {TABLE}, c.relname, 'itself', c.relkind, c.relowner::regrole, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
    ARRAY(SELECT privilege_type || is_grantable
        FROM aclexplode(coalesce(c.relacl, acldefault((CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char", c.relowner)))
        WHERE grantee = c.relowner ORDER BY 1)
    FROM pg_class c WHERE {LIKE_TABLES};
SELECT 'rights on', concat_ws(' ', {TABLE}, c.relname), a.grantee::regrole, a.grantor::regrole, a.privilege_type, a.is_grantable
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE {LIKE_TABLES} AND a.grantee <> c.relowner;
SELECT 'rights on', concat_ws(' ', {TABLE}, c.relname), 'column', t.attname, a.grantee::regrole, a.grantor::regrole, a.privilege_type, a.is_grantable
    FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN aclexplode(t.attacl) a WHERE {LIKE_TABLES} AND NOT t.attisdropped;
SELECT 'rights on', concat_ws(' ', {TABLE}, c.relname), 'given to', c.relowner::regrole
    FROM pg_class c WHERE {LIKE_TABLES} AND NOT has_schema_privilege(c.relowner, c.relnamespace, 'CREATE');
SELECT {TABLE}, c.relname, 'column', a.attname, a.atttypid::regtype, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE {TABLES} AND c.relkind <> 'i' AND a.attnum > 0 AND NOT a.attisdropped;
SELECT {TABLE}, c.relname, 'default', d.adnum, d.adbin FROM pg_class c JOIN pg_attrdef d ON d.adrelid = c.oid WHERE {TABLES};
SELECT {TABLE}, c.relname, 'constraint', k.conname, k.contype, k.convalidated, k.condeferrable, k.condeferred, k.connoinherit, k.conkey,
    k.confrelid::regclass, k.confkey, k.confdeltype, k.confupdtype, k.confmatchtype, k.conbin
    FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid WHERE {TABLES};
SELECT {TABLE}, c.relname, 'inherited by', h.inhrelid::regclass, h.inhseqno
    FROM pg_class c JOIN pg_inherits h ON h.inhparent = c.oid WHERE {TABLES} AND c.relkind IN ('r', 'f');
SELECT {TABLE}, c.relname, 'trigger', coalesce((SELECT k.conname FROM pg_constraint k WHERE t.tgisinternal AND k.oid = t.tgconstraint), t.tgname),
    t.tgisinternal, t.tgfoid::regproc, t.tgenabled, t.tgtype, t.tgattr, t.tgqual, t.tgargs, t.tgdeferrable, t.tginitdeferred,
    t.tgconstrrelid::regclass, t.tgoldtable, t.tgnewtable
    FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE {TABLES};
SELECT {TABLE}, c.relname, 'rule', r.rulename, r.ev_type, r.ev_enabled, r.is_instead, r.ev_action FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid WHERE {TABLES};
SELECT {TABLE}, c.relname, 'policy', p.polname, p.polcmd, p.polpermissive, p.polroles, p.polqual, p.polwithcheck
    FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE {TABLES};
SELECT 'table', c.relname, 'sequence', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid WHERE {TABLES};
SELECT CASE WHEN i.indisunique THEN 'unique index' WHEN i.indexprs IS NOT NULL THEN 'expression index' WHEN i.indpred IS NOT NULL THEN 'partial index'
    ELSE 'index' END, i.indexrelid::regclass, i.indrelid::regclass,
    regexp_replace((to_jsonb(i) - ARRAY['indexrelid', 'indrelid', 'indcheckxmin', 'indisclustered'])::text, ':location -?[0-9]+', '', 'g')
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE {TABLES};
SELECT 'type', t.oid::regtype, 'itself', t.typtype, t.typowner::regrole, t.typacl, t.typbasetype::regtype, t.typtypmod, t.typnotnull, t.typdefaultbin
    FROM pg_type t WHERE t.typnamespace IN {OWN} AND t.typtype IN ('d', 'e');
SELECT 'type', k.contypid::regtype, 'constraint', k.conname, k.convalidated, k.conbin FROM pg_constraint k WHERE k.contypid <> 0 AND k.connamespace IN {OWN};
SELECT 'type', e.enumtypid::regtype, 'value', e.enumsortorder, e.enumlabel FROM pg_enum e;
SELECT 'function', p.oid::regprocedure, p.proowner::regrole, p.proacl, p.prosecdef, p.proconfig, p.prolang, p.prosrc FROM pg_proc p
    WHERE p.pronamespace NOT IN {SYSTEM} OR p.oid >= 16384;
SELECT 'rights on', 'tables of the system', oid::regclass, relowner::regrole, relacl FROM pg_class WHERE relnamespace IN {SYSTEM} AND relkind IN ('r', 'v');
SELECT 'rights on', 'what will be made', defaclrole::regrole, defaclnamespace, defaclobjtype, defaclacl FROM pg_default_acl;
SELECT 'event trigger', evtname, evtevent, evtenabled, evtfoid::regproc FROM pg_event_trigger;
SELECT 'language', lanname, lanowner::regrole, lanpltrusted, lanacl FROM pg_language;
SELECT 'extension', extname, extversion FROM pg_extension;
SELECT 'large object', oid, lomowner::regrole, lomacl FROM pg_largeobject_metadata;
SELECT 'publication', pubname, puballtables FROM pg_publication;
SELECT 'foreign server', srvname, srvowner::regrole, srvoptions FROM pg_foreign_server;
"""

# What the server is built of, by name: compared as a whole, so the order has to be the same each time. In binary, because the server
# would look up the name of every function for text; access lists have no binary form.
CATALOGS = {
    "of functions": [
        """SELECT oid, proname, pronamespace, proowner, prolang, procost, prorows, provariadic, prosupport, prokind, prosecdef, proleakproof,
            proisstrict, proretset, provolatile, proparallel, pronargs, pronargdefaults, prorettype, proargtypes, proallargtypes, proargmodes,
            proargnames, proargdefaults, protrftypes, prosrc, probin, prosqlbody, proconfig, proacl::text
            FROM pg_proc WHERE oid < 16384 ORDER BY oid"""
    ],
    "of types": [
        """SELECT oid, typname, typnamespace, typowner, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined, typdelim,
            typrelid, typsubscript, typelem, typarray, typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typalign,
            typstorage, typnotnull, typbasetype, typtypmod, typndims, typcollation, typdefaultbin, typdefault, typacl::text
            FROM pg_type WHERE oid < 16384 ORDER BY oid"""
    ],
    "of operators": ["SELECT * FROM pg_operator ORDER BY oid"],
    "of operator classes": [
        "SELECT * FROM pg_opclass ORDER BY oid",
        "SELECT * FROM pg_amop ORDER BY oid",
        "SELECT * FROM pg_amproc ORDER BY oid",
    ],
    "of casts": ["SELECT * FROM pg_cast ORDER BY oid"],
    "of aggregates": ["SELECT * FROM pg_aggregate ORDER BY aggfnoid::oid"],
    "of access methods": ["SELECT * FROM pg_am ORDER BY oid"],
    "of conversions": ["SELECT * FROM pg_conversion ORDER BY oid"],
    "of views": [
        f"""SELECT r.ev_class, r.ev_type, r.ev_enabled, r.is_instead, md5(r.ev_action::text)
            FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace IN {SYSTEM} ORDER BY r.oid"""
    ],
}
MAX_ANSWER = 16 * 1024 * 1024
ATTEMPTS = 3
PASSING = ("starting up", "shutting down", "in recovery mode")


class NoAnswer(Exception):
    """The server was not reached, or not in time."""


class TooMuch(Exception):
    """The server answers without end."""


class Answer:
    """Takes what the server sends, as far as it is bounded."""

    def __init__(self, take):
        self.take, self.size = take, 0

    def write(self, data):
        self.size += len(data)
        if self.size > MAX_ANSWER:
            raise TooMuch
        self.take(data)


def rows(cursor, queries):
    """Lists of texts. Tabs and newlines in a value are escaped; nothing else ends a value or a line."""
    found = []
    for query in filter(str.strip, queries.split(";")):
        parts = []
        cursor.copy_expert(f"COPY ({query.strip()}) TO STDOUT", Answer(parts.append))
        lines = b"".join(map(bytes, parts)).split(b"\n")[:-1]
        found += [line.decode("utf-8", "backslashreplace").split("\t") for line in lines]
    if any(len(row) < 2 for row in found):
        raise psycopg2.DataError
    return found


def digest_of(cursor, queries):
    digest = hashlib.sha256()
    for query in queries:
        cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT binary)", Answer(digest.update))
    return digest.hexdigest()[:10]


def read_once(host, user, database, queries):
    connection = psycopg2.connect(host=host, user=user, dbname=database, connect_timeout=4)
    try:
        connection.set_session("REPEATABLE READ", readonly=True)
        with connection.cursor() as cursor:
            cursor.execute("SET search_path = pg_catalog")
            return rows(cursor, queries), {f"catalog {name}": digest_of(cursor, parts) for name, parts in CATALOGS.items()}
    finally:
        connection.close()


def is_refusal(error):
    """Whether it is an answer of the server; not one that it is starting or stopping."""
    said = str(error)
    return "FATAL:" in said and not any(words in said for words in PASSING)


def is_silence(error):
    """Whether the server was not reached, or did not answer in time, which says nothing about it on a busy host."""
    return isinstance(error, psycopg2.OperationalError) and not is_refusal(error)


def read(host, user, database, queries):
    """The rows that the queries find, and the digests of the catalogs. None when the server refuses that, or answers without end."""
    for _ in range(ATTEMPTS):
        try:
            return read_once(host, user, database, queries)
        except (psycopg2.Error, TooMuch) as error:
            last = error
    if is_silence(last):
        raise NoAnswer(str(last).strip().split("\n")[0])
    return None


def things(found):
    """{"role oncall": digest, ...}"""
    gathered = {}
    for kind, name, *rest in found:
        gathered.setdefault(f"{kind} {name}", []).append("\t".join(rest))
    return {thing: hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:10] for thing, lines in gathered.items()}


def without(found, login_may_change, settings_may_change):
    """The rows without what may change: whether a role may log in, and settings, wherever they are set."""
    for row in found:
        if row[0] == "role" and row[1] in login_may_change and len(row) > 6:
            row[6] = "either"
    own = {"settings of": lambda row: "".join(row[2:3]).split("=")[0].lower(), "setting": lambda row: row[1].lower()}
    return [row for row in found if row[0] not in own or own[row[0]](row) not in settings_may_change]
