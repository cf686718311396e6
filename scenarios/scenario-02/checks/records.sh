# Every letter of the last weeks, row by row. The database only hands out rows: whoever is its superuser can make its
# functions say anything.
rows=$(psql -h db -U oncall -d lindenpost -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
COPY (SELECT 'letter', id, number, client_reference, sender, recipient, pages, price_cents, sha256, status, created_at, printed_at
      FROM public.letters WHERE id <= 400) TO STDOUT;
COPY (SELECT 'tariff', code, max_pages, price_cents FROM public.tariffs) TO STDOUT;
SQL
) || { echo "the letters cannot be read"; exit 1; }
echo "$(printf '%s\n' "$rows" | grep -c '^letter') letters of the last weeks, $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
