# Standard input: the configuration of nginx. Every address that it passes requests to must answer as the booking service.
set -u
targets=$(sed 's/#.*//' | grep -vE '^[[:space:]]*listen' | grep -oE '\b[A-Za-z0-9.-]+:[0-9]{2,5}\b' | sort -u)
[ -n "$targets" ] || { echo "the configuration of web names no address to pass requests to"; exit 1; }
for target in $targets; do
    [ "$(curl -s -m 4 "http://$target/health" | jq -r .database 2>/dev/null)" = ok ] ||
        { echo "an address in the configuration of web does not answer as the booking service"; exit 1; }
done
echo "every address in the configuration of web answers as the booking service"
