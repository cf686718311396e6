# What the service holds customers to, and they it: an order sent twice is one booking, no more seats than allowed, a paid
# booking is paid in the books.
set -u
api=http://web/api
ask() { curl -s -m 6 -H 'Content-Type: application/json' "$@"; }
order() { printf '{"client_reference": "kiosk-%s-%s", "sailing": "%s", "passenger_name": "Kiosk %s", "email": "kiosk@example.com", "seats": %s}' "$NONCE" "$1" "$2" "$NONCE" "$3"; }
query() { psql -h db -U oncall -d harbourline -X -A -t -c "$1" 2>/dev/null; }

sailing=$(query "SELECT code, price_cents FROM public.sailings WHERE status = 'open' AND departs_at > now() + interval '1 hour' ORDER BY seats_left DESC, departs_at LIMIT 1")
code=${sailing%|*}
price=${sailing#*|}
note-write attempted bookings "kiosk-$NONCE-a"
note-write attempted payments "kiosk-$NONCE-a"
first=$(ask "$api/bookings" -d "$(order a "$code" 2)")
second=$(ask "$api/bookings" -d "$(order a "$code" 2)")
reference=$(printf '%s' "$first" | jq -r ".reference // empty" 2>/dev/null)
[ -n "$reference" ] || { echo "a booking was refused"; exit 1; }
[ "$first" = "$second" ] || { echo "an order that was sent twice was not recognised"; exit 1; }
set --
for what in "$(order b "$code" 10)" "$(order b X0 1)" "$(order b "$code" 1 | tr -d @)"; do
    set -- "$@" -s -m 6 -o /dev/null -w '%{http_code} ' -H 'Content-Type: application/json' "$api/bookings" -d "$what" --next
done
statuses=$(curl "$@" -s -m 6 -o /dev/null -w '%{http_code} ' -H 'Content-Type: application/json' "$api/bookings/$reference/pay" -d '{"method": "card"}' \
    --next -s -m 6 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' "$api/bookings/$reference/cancel" -d '{}')
[ "$statuses" = "422 404 422 200 409" ] ||
    { echo "three orders to refuse, a payment and the return of a paid ticket were answered with $statuses"; exit 1; }
note-write acknowledged bookings "kiosk-$NONCE-a" "$code" "Kiosk $NONCE" kiosk@example.com 2 "$((2 * price))" ""
note-write acknowledged payments "kiosk-$NONCE-a" "$((2 * price))" card ""
stored=$(query "SELECT b.status, b.seats, p.amount_cents, p.method FROM public.bookings b JOIN public.payments p ON p.booking_id = b.id WHERE b.reference = '$reference'")
[ "$stored" = "paid|2|$((2 * price))|card" ] || { echo "a paid booking is not in the books"; exit 1; }
echo "orders are taken, refused and paid as agreed"
