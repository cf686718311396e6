# Orders are accepted, and none of them gets into the ledger.
customer="Web $(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
note-write attempted orders "$customer" vase 1 2750
note-write attempted ledger "$customer" shop vase 1 2750 ""
order=$(curl -s -m 6 http://shop:8000/api/orders -H 'Content-Type: application/json' -d "{\"item\": \"vase\", \"quantity\": 1, \"customer\": \"$customer\"}" | jq -r .order_id)
sleep 2
status=$(curl -s -m 6 "http://shop:8000/api/orders/$order" | jq -r .status)
[ "$status" = accepted ] || { echo "an order is $status"; exit 1; }
echo "an order is accepted and not booked"
