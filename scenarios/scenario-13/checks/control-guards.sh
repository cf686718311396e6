# The control room's way in asks for its password, whoever comes.
set -u
call='<?xml version="1.0"?><methodCall><methodName>supervisor.getState</methodName></methodCall>'
ask() { curl -s -m 8 --retry 8 --retry-delay 1 --retry-connrefused -o /dev/null -w '%{http_code}' "$@"; }
statuses="$(ask http://app:9001/) $(ask -d "$call" -H 'Content-Type: text/xml' http://app:9001/RPC2)"
statuses="$statuses $(ask -u control:wrong-password -d "$call" -H 'Content-Type: text/xml' http://app:9001/RPC2) $(ask -u control: http://app:9001/)"
[ "$statuses" = "401 401 401 401" ] || { echo "requests without the right password to the control of programs were answered with $statuses"; exit 1; }
status=$(ask -u "control:$CONTROL_PASSWORD" -d "$call" -H 'Content-Type: text/xml' http://app:9001/RPC2)
[ "$status" = 200 ] || { echo "the control room's own login was answered with $status"; exit 1; }
status=$(head -c 200000 /dev/zero | tr '\0' x | curl -s -m 8 -o /dev/null -w '%{http_code}' --data-binary @- http://web/api/shipments)
[ "$status" = 413 ] || { echo "a body of 200 kB was answered with $status"; exit 1; }
echo "the control of programs needs its password, bodies beyond the limit are refused"
