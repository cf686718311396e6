# The site refuses bodies beyond its limit, and does so itself.
status=$(head -c 70000 /dev/zero | tr '\0' x | curl -s -m 6 -o /dev/null -w '%{http_code}' --data-binary @- http://web/api/bookings)
[ "$status" = 413 ] || { echo "a body of 70 kB was answered with $status"; exit 1; }
echo "bodies beyond the limit are refused"
