# Who may log in to the database, and what everybody may do there; hashed here, so that the database can only be wrong in the rows.
rows=$(psql -h db -U oncall -d larkspur -X -q -A -t -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
SELECT 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit FROM pg_roles;
SELECT 'member', member::regrole, roleid::regrole, admin_option FROM pg_auth_members;
SELECT 'setting', setdatabase, setrole::regrole, setconfig FROM pg_db_role_setting;
SELECT 'database', datname, datdba::regrole, datacl FROM pg_database;
SELECT 'schema', nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname = 'public';
SELECT 'table', relname, relkind, relowner::regrole, relacl, relrowsecurity, relforcerowsecurity
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname IN ('depots', 'lanes', 'quotes', 'jobs', 'tasks', 'prices', 'governor_audit');
SELECT 'column', attrelid::regclass, attname, atttypid::regtype, attnotnull, attacl
FROM pg_attribute WHERE attnum > 0 AND attrelid IN ('public.depots'::regclass, 'public.lanes'::regclass, 'public.quotes'::regclass, 'public.jobs'::regclass, 'public.tasks'::regclass, 'public.prices'::regclass, 'public.governor_audit'::regclass);
SELECT 'constraint', conrelid::regclass, conname, contype, convalidated, conkey FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    AND conrelid IN ('public.depots'::regclass, 'public.lanes'::regclass, 'public.quotes'::regclass, 'public.jobs'::regclass, 'public.tasks'::regclass, 'public.prices'::regclass, 'public.governor_audit'::regclass);
SELECT 'trigger', tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal OR tgenabled <> 'O';
SELECT 'rule', ev_class::regclass, rulename FROM pg_rewrite WHERE ev_class IN ('public.depots'::regclass, 'public.lanes'::regclass, 'public.quotes'::regclass, 'public.jobs'::regclass, 'public.tasks'::regclass, 'public.prices'::regclass, 'public.governor_audit'::regclass);
SELECT 'policy', polrelid::regclass, polname FROM pg_policy;
SELECT 'event trigger', evtname FROM pg_event_trigger;
SELECT 'function', oid::regprocedure, proowner::regrole FROM pg_proc WHERE prosecdef;
SQL
) || { echo "rights in the database cannot be read"; exit 1; }
echo "rights, tables and constraints in the database: $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
