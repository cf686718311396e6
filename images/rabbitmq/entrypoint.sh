#!/bin/bash
# A machine with a RabbitMQ node on it. When the node ends, it is started again; SIGTERM
# ends both. Cookie and data stay in /var/lib/rabbitmq.
set -u

export ERL_EPMD_ADDRESS=127.0.0.1
install -d -o rabbitmq -g rabbitmq -m 0750 /var/lib/rabbitmq /var/log/rabbitmq
for file in /etc/rabbitmq/*; do
    chown root:rabbitmq "$file" && chmod 0640 "$file"
done

# A node with one scheduler stays on one core, the one that has most time to spare now: while it starts, its threads wake each
# other for every file that they read, and from core to core that takes five times as long on a busy machine.
idle() { awk '/^cpu[0-9]/ { print substr($1, 4), $5 }' /proc/stat; }
allowed() {
    sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , '\n' |
        while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done
}
core() {
    { idle; sleep 0.3; idle; } | awk '$1 in since { print $2 - since[$1], $1 } { since[$1] = $2 }' |
        grep -xEf <(allowed | sed 's/.*/[0-9]+ &/') | shuf | sort -srn -k 1,1 | cut -d ' ' -f 2 | head -n 1
}

stopping=
node=
stop() {
    stopping=yes
    [ -z "$node" ] || kill -TERM "$node" 2> /dev/null
}
trap stop TERM INT

while [ -z "$stopping" ]; do
    taskset -c "$(core)" setpriv --reuid=rabbitmq --regid=rabbitmq --init-groups -- env HOME=/var/lib/rabbitmq /usr/lib/rabbitmq/bin/rabbitmq-server &
    node=$!
    while kill -0 "$node" 2> /dev/null; do wait "$node"; done
    [ -n "$stopping" ] || sleep 1
done
