# The service cannot reach its store.
status=$(curl -s -m 14 -o /dev/null -w '%{http_code}' http://api:8000/health)
echo "the service answers $status"
[ "$status" = 503 ]
