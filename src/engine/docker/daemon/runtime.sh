#!/bin/sh
# The OCI runtime of the engine: runc, with additional limits for every container (bound.sh, throttle-output.pl).
# config.json of a container is one line of JSON written by the engine. Quotes in values are escaped there, so text with plain quotes
# was written by the engine itself, and can be matched.
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
  # Only containers in a user namespace run programs of users.
  if grep -q '{"type":"user"' "$bundle/config.json" && command -v perl > /dev/null; then
    exec perl "$here/throttle-output.pl" runc "$@"
  fi
fi
exec runc "$@"
