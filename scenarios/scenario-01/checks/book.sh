# A customer's own transaction: find a departure, book it, read it back, cancel it; and it is in the database.
set -u
api=http://web/api
agent='Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
ask() { curl -s -m 6 -A "$agent" -H 'Content-Type: application/json' "$@"; }

field() { jq -r "$1 // empty" 2>/dev/null; }

sailing=$(ask "$api/sailings?limit=50" | field '[.items[] | select(.seats_left > 0)] | max_by(.seats_left) | .code')
[ -n "$sailing" ] || { echo "departures cannot be listed"; exit 1; }

order="{\"client_reference\": \"desk-$NONCE\", \"sailing\": \"$sailing\", \"passenger_name\": \"Desk $NONCE\", \"email\": \"desk@example.com\", \"seats\": 1}"
note-write attempted bookings "desk-$NONCE"
reference=$(ask "$api/bookings" -d "$order" | tee booked | field "select(.client_reference == \"desk-$NONCE\") | .reference")
[ -n "$reference" ] || { echo "a booking was refused"; exit 1; }
[ "$(ask "$api/bookings/$reference" | field .passenger_name)" = "Desk $NONCE" ] || { echo "a booking cannot be read back"; exit 1; }

stored=$(psql -h db -U oncall -d harbourline -X -A -t -c "SELECT reference FROM public.bookings WHERE client_reference = 'desk-$NONCE'" 2>/dev/null)
[ "$stored" = "$reference" ] || { echo "a booking is not in the database"; exit 1; }

note-write acknowledged bookings "desk-$NONCE" "$sailing" "Desk $NONCE" desk@example.com 1 "$(field .amount_cents < booked)" ""

[ "$(ask -X POST "$api/bookings/$reference/cancel" -d '{}' | field .status)" = cancelled ] || { echo "a booking cannot be cancelled"; exit 1; }
echo "a booking was made, read back, found in the database and cancelled"
