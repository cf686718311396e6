#!/bin/sh
# What the engine calls as its runtime: runc, with bounds added to every container that is created. Counters of the kernel
# are shared by everybody on the machine, and so is the engine; a container gets a part of them before anything in it runs.
# The specification of a container is one line of JSON made by the engine: quotes in anybody's words are escaped in it,
# so a quoted word with its own quotes is the engine's.
here=$(dirname "$0")
creates=
bundle=.
previous=
for word in "$@"; do
  case "$previous" in --bundle) bundle=$word ;; esac
  case "$word" in create | run) creates=yes ;; esac
  previous=$word
done
if [ -n "$creates" ]; then
  hook="{\"path\":\"$here/bound.sh\"}"
  if grep -q '"hooks":{"prestart":\[' "$bundle/config.json"; then
    hooks="s#\"hooks\":{\"prestart\":\\[#&$hook,#"
  else
    hooks="s#\"linux\":{#\"hooks\":{\"prestart\":[$hook]},&#"
  fi
  sed -i -e 's#"ptmxmode=0666"#&,"max=128"#' -e "$hooks" "$bundle/config.json" || exit 1
  grep -q '"max=128"' "$bundle/config.json" && grep -q 'bound\.sh' "$bundle/config.json" || exit 1
  # Only what is in a user namespace prints whatever a user likes.
  if grep -q '{"type":"user"' "$bundle/config.json" && command -v perl > /dev/null; then
    exec perl "$here/throttle-output.pl" runc "$@"
  fi
fi
exec runc "$@"
