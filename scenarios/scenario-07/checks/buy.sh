# A customer fills a basket and orders what is in it.
ask() { curl -sf -m 6 -o /dev/null -H 'Content-Type: application/json' "$@"; }
ask -X PUT "http://shop:8000/api/baskets/buy-$NONCE/items/herring" -d '{"quantity": 3}' || exit 1
ask http://shop:8000/api/orders -d "{\"client_reference\": \"app-$NONCE\", \"basket\": \"buy-$NONCE\", \"customer\": \"App Customer\"}"
