# What the devices are there for: each sends a reading as its firmware does; it is shown by the service and kept once.
set -u
sum=0
for entry in $DEVICES; do
    name=${entry%%:*}
    sum=$((sum + 1))
    note-write attempted readings "$name $NONCE"
    mosquitto_pub -h broker -i "$name-$NONCE" -u "$name" -P "${entry#*:}" -q 1 -t "frostgate/${name%-*}/$name/reading" \
        -m "{\"id\": \"$NONCE\", \"value\": $sum.25, \"battery\": 77}" 2>/dev/null || { echo "$name cannot send a reading"; exit 1; }
    note-write acknowledged readings "$name $NONCE" "$sum.25" 77 ""
done

wanted=$(for entry in $DEVICES; do echo "${entry%%:*}"; done | awk '{ print $1 "|" NR ".25|77" }' | sort)
for _ in $(seq 20); do
    stored=$(psql -h db -U oncall -d frostgate -X -q -A -t -c "SELECT d.name, r.value, r.battery_percent FROM public.readings r JOIN public.devices d ON d.id = r.device_id WHERE r.message_id = '$NONCE'" 2>/dev/null | sort)
    [ "$stored" = "$wanted" ] && break
    sleep 0.4
done
if [ "$stored" != "$wanted" ]; then
    missing=$(printf '%s\n' "$wanted" | grep -vxF "$stored" | cut -d '|' -f 1 | tr '\n' ' ')
    echo "readings that were sent are not in the database: ${missing:-kept more than once}"
    exit 1
fi
set --
for entry in $DEVICES; do
    set -- "$@" "http://store:8000/api/devices/${entry%%:*}/readings?limit=500"
done
shown=$(curl -s -m 8 "$@" | jq -s -c "[.[] | [.items[] | select(.message_id == \"$NONCE\")] | length]" 2>/dev/null)
[ "$shown" = "[1,1,1,1,1,1]" ] || { echo "the service does not show what devices sent"; exit 1; }
silent=$(curl -s -m 5 http://store:8000/api/devices | jq -r '.silent | length' 2>/dev/null)
[ "$silent" = 0 ] || { echo "the service takes devices for silent that are not"; exit 1; }
echo "every device sends, and every reading is kept once"
