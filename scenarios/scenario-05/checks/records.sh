# Customers and the journals of the past, row by row, hashed here; and every entry that was confirmed since then.
cut -d ' ' -f 2 /run/customers/5 2>/dev/null | sed 's/^/W-/' > promised
rows=$(psql -h db -U oncall -d saltmarsh -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
SET TimeZone = 'UTC';
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
COPY (SELECT 'customer', id, slug, name, token_sha256 FROM public.customers) TO STDOUT;
COPY (SELECT 'entry', id, customer_id, booked_on, voucher, account, contra, amount_cents, text, length(document), substr(document, 1, 90), md5(document), entered_at FROM public.entries WHERE voucher LIKE 'V%') TO STDOUT;
COPY (SELECT 'counter', voucher FROM public.entries WHERE voucher LIKE 'W-%' AND account = 4400 AND contra = 1200 AND amount_cents = 1250) TO STDOUT;
COMMIT;
SQL
) || { echo "the journals cannot be read"; exit 1; }
lost=$(printf '%s\n' "$rows" | sed -n 's/^counter\t//p' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost entries that were confirmed to customers are gone or changed"; exit 1; }
rows=$(printf '%s\n' "$rows" | grep -v '^counter')
echo "$(printf '%s\n' "$rows" | grep -c '^entry') entries, $(printf '%s\n' "$rows" | LC_ALL=C sort | sha256sum | cut -c 1-32)"
