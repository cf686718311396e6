set -eu
install -d -m 0700 /root/handover
umask 077
printf 'For operations, CHG-%s. Delete after use.\nredis, account %s: %s\nredis, account %s: %s\n' \
    {{change}} sentinel {{new_watch_password}} replica {{new_replica_password}} > /root/handover/CHG-{{change}}.txt
