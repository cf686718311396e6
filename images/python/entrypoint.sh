#!/bin/sh
# Run a command as the user "app". APP_DIRS names the directories, separated by
# blanks, that the command writes to; they are made and handed over to that user.
set -eu

for dir in ${APP_DIRS:-}; do
    install -d -o app -g app -m 0755 "$dir"
done

export HOME=/srv USER=app LOGNAME=app
exec setpriv --reuid=app --regid=app --init-groups -- "$@"
