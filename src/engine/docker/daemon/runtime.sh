#!/bin/sh
# The OCI runtime of the engine: runc, with additional limits for every container (bound.sh, throttle-output.pl), and without its
# processor limits for a container that is killed.
# config.json and state.json of a container are one line of JSON each, written by the engine and by runc. Quotes in values are escaped
# there, so text with plain quotes was written by these themselves, and can be matched.
here=$(dirname "$0")
creates=
kills=
hurries=
bundle=.
root=
previous=
for word in "$@"; do
  case "$previous" in
  --bundle) bundle=$word ;;
  --root) root=$word ;;
  esac
  case "$word" in
  create | run) creates=yes ;;
  kill) kills=yes ;;
  esac
  [ -z "$kills" ] || case "$word" in 9 | KILL | SIGKILL) hurries=$previous ;; esac
  previous=$word
done
# Processes need processor time to die. Hundreds that fork, with a limit meant for one program, would take minutes.
if [ -n "$hurries" ] && [ -f "$root/$hurries/state.json" ]; then
  state=$(cat "$root/$hurries/state.json")
  group() { printf '%s' "$state" | sed -n "s#.*\"cgroup_paths\":{[^}]*\"$1\":\"\([^\"]*\)\".*#\1#p"; }
  give() { [ ! -w "$1" ] || echo "$2" > "$1"; }
  one=$(group cpu)
  give "$one/cpu.cfs_quota_us" -1
  give "$one/cpu.shares" 1024
  one=$(group '')
  give "$one/cpu.max" max
  give "$one/cpu.weight" 100
fi
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
