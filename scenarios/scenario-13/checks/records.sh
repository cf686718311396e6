# Every shipment of the last days with its label and its place in a van, row by row, hashed here; and every order that was confirmed
# since then.
cut -d ' ' -f 2 /run/customers/4 /run/customers/5 2>/dev/null | sed 's/^/edi-/' > promised
rows=$(psql -h db -U oncall -d nordkai -X -q -v ON_ERROR_STOP=1 <<'SQL' 2>/dev/null
SET search_path = pg_catalog;
COPY (SELECT 'depot', id, code, name FROM public.depots) TO STDOUT;
COPY (SELECT 'shipment', id, number, client_reference, depot_id, recipient, address, grams, status, ready_at, created_at FROM public.shipments WHERE id <= 400) TO STDOUT;
COPY (SELECT 'label', shipment_id, dpi, zpl, created_at FROM public.labels WHERE shipment_id <= 400) TO STDOUT;
COPY (SELECT 'line', l.manifest_id, l.position, l.shipment_id, m.depot_id, m.created_at
      FROM public.manifest_lines l JOIN public.manifests m ON m.id = l.manifest_id WHERE l.shipment_id <= 400) TO STDOUT;
COPY (SELECT 'edi', client_reference FROM public.shipments WHERE client_reference LIKE 'edi-%' AND recipient IN ('Okke Petersen', 'Wiebke Janssen') AND grams IN (1240, 520)) TO STDOUT;
SQL
) || { echo "the shipments cannot be read"; exit 1; }
lost=$(printf '%s\n' "$rows" | sed -n 's/^edi\t//p' | grep -vxFc -f - promised)
[ "$lost" = 0 ] || { echo "$lost shipments that were confirmed to customers are gone or changed"; exit 1; }
rows=$(printf '%s\n' "$rows" | grep -v '^edi')
echo "$(printf '%s\n' "$rows" | grep -c '^shipment') shipments of the last days, $(printf '%s\n' "$rows" | grep -c '^line') of them in vans, $(printf '%s\n' "$rows" | sort | sha256sum | cut -c 1-32)"
