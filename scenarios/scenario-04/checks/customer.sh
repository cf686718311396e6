# A customer's app: it looks at an item and orders it. On an error it tries again every second, for a while.
set -u
ask() { curl -fs -o /dev/null -m 7 --retry 12 --retry-delay 1 --retry-max-time 14 --retry-all-errors "$@"; }
ask "http://lb/api/items/V-900?n=$NONCE" -H 'Content-Type: application/json' --next \
    -fs -o /dev/null -m 7 --retry 12 --retry-delay 1 --retry-max-time 14 --retry-all-errors http://lb/api/orders \
    -H 'Content-Type: application/json' -d "{\"client_reference\": \"app-$NONCE\", \"sku\": \"F-101\", \"quantity\": 1, \"customer\": \"App Customer\", \"email\": \"app@example.com\"}" ||
    { echo "an order from the app did not go through"; exit 1; }
