# Sign the book as a guest would, and find the entry in it.
set -eu
body=$(printf '{"guest": "guest-%s", "text": "Thank you."}' "$NONCE")
status=$(curl -s --max-time 5 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d "$body" http://web/api/entries)
[ "$status" = 201 ] || { echo "signing the book answered $status"; exit 1; }
curl -fs --max-time 5 http://web/api/entries | jq -e --arg guest "guest-$NONCE" 'any(.guest == $guest)' > /dev/null ||
    { echo 'a new entry is not in the book'; exit 1; }
