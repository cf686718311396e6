# Orders and the ledger of the past, row by row, hashed here: the database can only be wrong in the rows. And every order that
# was confirmed since then.
cut -d ' ' -f 2 /run/customers/1 2>/dev/null | sed 's/^/Web /' > promised
read_rows() {
    psql -h db -U oncall -d tidewell -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'order', id, order_id, item, quantity, amount_cents, customer, accepted_at FROM public.orders WHERE id <= 334) TO STDOUT;
COPY (SELECT 'booked', id, order_id, source, item, quantity, amount_cents, customer, note, booked_at FROM public.ledger WHERE id <= 500) TO STDOUT;
COPY (SELECT 'web', customer FROM public.orders WHERE customer LIKE 'Web %' AND item = 'kettle' AND quantity = 1) TO STDOUT;
COMMIT;
SQL
}
rows=$(read_rows) || { sleep 1; rows=$(read_rows); } || { sleep 2; rows=$(read_rows); } || { echo "the ledger cannot be read"; exit 1; }
lost=$(printf '%s\n' "$rows" | sed -n 's/^web\t//p' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost orders that were confirmed to customers are gone or changed"; exit 1; }
rows=$(printf '%s\n' "$rows" | grep -v '^web')
echo "$(printf '%s\n' "$rows" | grep -c '^order') orders, $(printf '%s\n' "$rows" | grep -c '^booked') bookings, $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
