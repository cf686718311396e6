# Who may log in to the database, and what everybody may do there; hashed here, so that the database can only be wrong in the rows.
rows=$(psql -h db -U oncall -d lindenpost -X -q -A -t -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
SELECT 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil FROM pg_roles;
SELECT 'member', member::regrole, roleid::regrole, admin_option FROM pg_auth_members;
SELECT 'setting', setdatabase, setrole::regrole, setconfig FROM pg_db_role_setting;
SELECT 'database', datname, datdba::regrole, datacl FROM pg_database;
SELECT 'schema', nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname = 'public';
SELECT 'table', relname, relkind, relowner::regrole, relacl, relrowsecurity, relpersistence, reloptions FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relname IN ('tariffs', 'letters');
SELECT 'constraint', conrelid::regclass, conname, contype, convalidated, conkey FROM pg_constraint
WHERE conrelid IN ('public.tariffs'::regclass, 'public.letters'::regclass);
SELECT 'index', indexrelid::regclass, indisunique, indisvalid, indkey FROM pg_index WHERE indrelid IN ('public.tariffs'::regclass, 'public.letters'::regclass);
SELECT 'sequence', seqrelid::regclass, seqincrement, seqmin, seqmax, seqcycle FROM pg_sequence;
SELECT 'trigger', tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal OR tgenabled <> 'O';
SELECT 'rule', ev_class::regclass, rulename FROM pg_rewrite WHERE ev_class IN ('public.tariffs'::regclass, 'public.letters'::regclass);
SELECT 'function', oid::regprocedure, proowner::regrole FROM pg_proc WHERE prosecdef;
SQL
) || { echo "rights in the database cannot be read"; exit 1; }
echo "rights, tables and constraints in the database: $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
