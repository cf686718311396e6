# The devices of the class are turned away by the broker.
set -u
for entry in $DEVICES; do
    name=${entry%%:*}
    case $name in "$CLASS"-*) ;; *) continue ;; esac
    mosquitto_pub -h broker -i "$name-check" -u "$name" -P "${entry#*:}" -q 1 -t "frostgate/$CLASS/$name/reading" -m '{}' 2>/dev/null
    [ $? = 5 ] || { echo "$name is not turned away"; exit 1; }
done
echo "devices are turned away"
