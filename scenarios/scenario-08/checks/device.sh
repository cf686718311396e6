# A device wakes up, sends one reading, and sleeps again. It knows its name, its password and its topic, and nothing else.
set -u
exec mosquitto_pub -h broker -i "$NAME-$(printf '%s' "$NONCE" | cut -c 1-4)" -u "$NAME" -P "$PASSWORD" -q 1 \
    -t "frostgate/${NAME%-*}/$NAME/reading" -m "{\"id\": \"$NONCE\", \"value\": 4.5, \"battery\": 90}" 2>&1
