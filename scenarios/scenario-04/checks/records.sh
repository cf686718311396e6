# Items and the orders of the past, row by row, hashed here: the database can only be wrong in the rows. The price of the
# voucher changes every day. And every order that was confirmed to a customer since then.
cut -d ' ' -f 2 /run/customers/2 2>/dev/null | sed 's/^/web-/' > promised
read_rows() {
    psql -h db -U oncall -d larkfield -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'item', id, sku, name, kind, CASE WHEN sku = 'V-900' THEN 0 ELSE price_cents END FROM public.items) TO STDOUT;
COPY (SELECT 'order', id, reference, client_reference, item_id, quantity, amount_cents, customer, email, status, taken_by, created_at FROM public.orders WHERE id <= 600) TO STDOUT;
COPY (SELECT 'web', client_reference FROM public.orders WHERE client_reference LIKE 'web-%' AND quantity = 1 AND customer = 'Web Customer' AND status <> 'cancelled') TO STDOUT;
COMMIT;
SQL
}
rows=$(read_rows) || { sleep 1; rows=$(read_rows); } || { sleep 2; rows=$(read_rows); } || { echo "the orders cannot be read"; exit 1; }
lost=$(printf '%s\n' "$rows" | sed -n 's/^web\t//p' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost orders that were confirmed to customers are gone or changed"; exit 1; }
rows=$(printf '%s\n' "$rows" | grep -v '^web')
echo "$(printf '%s\n' "$rows" | grep -c '^order') orders, $(printf '%s\n' "$rows" | grep -c '^item') items, $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
