# Depots, lanes, the seasons' prices, customers' quotes and the audit of the past, row by row, hashed here; and every quote that was
# given since then.
cut -d ' ' -f 2 /run/customers/0 2>/dev/null | sed 's/^/web-/' > promised
rows=$(psql -h db -U oncall -d larkspur -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
SET TimeZone = 'UTC';
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'depot', code, name FROM public.depots) TO STDOUT;
COPY (SELECT 'lane', id, origin, destination, cents_per_100kg FROM public.lanes) TO STDOUT;
COPY (SELECT 'job', id, name, factor_permille, ordered_at FROM public.jobs WHERE id <= 9) TO STDOUT;
COPY (SELECT 'price', job_id, lane_id, cents_per_100kg FROM public.prices WHERE job_id <= 9) TO STDOUT;
COPY (SELECT 'quote', id, reference, client_reference, origin, destination, weight_kg, lanes, price_cents, made_at FROM public.quotes WHERE id <= 400) TO STDOUT;
COPY (SELECT 'audit', id, at, service, observed, applied, rules FROM public.governor_audit WHERE id <= 18) TO STDOUT;
COPY (SELECT 'web', client_reference FROM public.quotes WHERE client_reference LIKE 'web-%' AND origin = 'D03' AND destination = 'D24' AND weight_kg = 700) TO STDOUT;
COMMIT;
SQL
) || { echo "the records cannot be read"; exit 1; }
lost=$(printf '%s\n' "$rows" | sed -n 's/^web\t//p' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost quotes that were confirmed to customers are gone or changed"; exit 1; }
rows=$(printf '%s\n' "$rows" | grep -v '^web')
echo "$(printf '%s\n' "$rows" | wc -l) records, $(printf '%s\n' "$rows" | LC_ALL=C sort | sha256sum | cut -c 1-32)"
