# Payouts that are due wait, and nothing has been booked for a while.
found=$(psql -h db -U oncall -d ferngiro -X -A -t -c "SELECT (SELECT count(*) FROM public.payouts WHERE status <> 'booked' AND execute_at < now() - interval '2 seconds') >= 3
    AND (SELECT max(booked_at) FROM public.entries) < now() - interval '2 seconds'" 2>/dev/null)
[ "$found" = t ] || { echo "payouts are booked"; exit 1; }
echo "payouts wait"
