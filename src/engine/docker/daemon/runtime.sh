#!/bin/sh
# What the engine calls as its runtime: runc, with two bounds added to every container that is created. Counters of the
# kernel are shared by everybody on the machine; a container gets a part of them before anything in it runs.
# The specification of a container is one line of JSON made by the engine: quotes in anybody's words are escaped in it,
# so a quoted word with its own quotes is the engine's.
creates=
bundle=.
previous=
for word in "$@"; do
  case "$previous" in --bundle) bundle=$word ;; esac
  case "$word" in create | run) creates=yes ;; esac
  previous=$word
done
if [ -n "$creates" ]; then
  hook="{\"path\":\"$(dirname "$0")/bound.sh\"}"
  if grep -q '"hooks":{"prestart":\[' "$bundle/config.json"; then
    hooks="s#\"hooks\":{\"prestart\":\\[#&$hook,#"
  else
    hooks="s#\"linux\":{#\"hooks\":{\"prestart\":[$hook]},&#"
  fi
  sed -i -e 's#"ptmxmode=0666"#&,"max=128"#' -e "$hooks" "$bundle/config.json" || exit 1
  grep -q '"max=128"' "$bundle/config.json" && grep -q 'bound\.sh' "$bundle/config.json" || exit 1
fi
exec runc "$@"
