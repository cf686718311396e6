# Standard input: the copies of the journal for the bank's agent. They are made all the time: whatever was booked a moment ago
# is in them, as it was booked.
cat > copies
psql -h db -U oncall -d ferngiro -X -A -t -F ' ' -c "SELECT e.entry_no, p.reference, p.iban, p.amount_cents FROM public.entries e JOIN public.payouts p ON p.id = e.payout_id
    WHERE e.period = '118' AND e.booked_at < now() - interval '12 seconds'" > booked 2>/dev/null || { echo "the ledger cannot be read"; exit 1; }
awk -F ';' '{ print $2, $3, $5, $6 }' copies | sort -u > copied
missing=$(sort -u booked | comm -23 - copied | grep -c .)
[ "$missing" = 0 ] || { echo "$missing bookings are not in the copies for the bank"; exit 1; }
newest=$(find /hold/worker/0/snapshots -newermt '-12 seconds' 2>/dev/null | head -1)
[ -n "$newest" ] || { echo "no copy was made for the bank for a while"; exit 1; }
echo "the bank's copies are up to date"
