# Customers and the journals of the past, row by row, hashed here.
rows=$(psql -h db -U oncall -d saltmarsh -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
SET TimeZone = 'UTC';
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'customer', id, slug, name, token_sha256 FROM public.customers) TO STDOUT;
COPY (SELECT 'entry', id, customer_id, booked_on, voucher, account, contra, amount_cents, text, length(document), substr(document, 1, 90), entered_at FROM public.entries WHERE voucher LIKE 'V%') TO STDOUT;
COMMIT;
SQL
) || { echo "the journals cannot be read"; exit 1; }
echo "$(printf '%s\n' "$rows" | grep -c '^entry') entries, $(printf '%s\n' "$rows" | LC_ALL=C sort | sha256sum | cut -c 1-32)"
