#!/bin/sh
# Start supervisord as root. APP_DIRS names the directories, separated by blanks, that
# the programs write to; they are made and handed over to the user "app".
set -eu

for dir in ${APP_DIRS:-}; do
    install -d -o app -g app -m 0755 "$dir"
done
# What a killed container left behind.
rm -f /run/supervisor.sock /run/supervisord.pid

exec "$@"
