# Manages background commands of one container in files, so that they outlive the service. Each command has a folder:
#   process     pid and start time of the process that leads its group
#   started_at  milliseconds since 1970      input, output   its streams
#   exit_code   once it has exited           killed          once it was told to end
# States are printed on standard error, one line each: name, status, exit code or -, bytes of output, started_at.
#
#   start NAME STARTED_AT KEPT COMMAND   list KEPT   read NAME OFFSET LIMIT   kill NAME
# Exit code 3: there is no such command; 4: the limit of commands is reached.
root=/run/commands

process_of() { { read -r pid began < "$1/process"; } 2>/dev/null && [ "$pid" -gt 1 ] 2>/dev/null; }

start_time_of() {
  { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  set -- ${stat##*) }
  [ "$1" != Z ] && echo "${20}"
}

runs() { process_of "$1" && [ "$(start_time_of "$pid")" = "$began" ]; }

show() {
  code=- status=lost started=
  { read -r started < "$1/started_at"; } 2>/dev/null
  if [ -f "$1/exit_code" ]; then
    read -r code < "$1/exit_code"
    status=exited
  elif [ -e "$1/killed" ]; then
    status=killed
  elif runs "$1"; then
    status=running
  elif [ -f "$1/exit_code" ]; then # it ended during this check
    read -r code < "$1/exit_code"
    status=exited
  fi
  echo "${1##*/} $status $code $(stat -c %s "$1/output") $started" >&2
}

make_room() {
  kept=$(ls "$root" | wc -l)
  for name in $(ls -tr "$root"); do
    [ "$kept" -ge "$1" ] || return 0
    runs "$root/$name" && continue
    rm -rf "${root:?}/$name" && kept=$((kept - 1))
  done
  [ "$kept" -lt "$1" ] || exit 4
}

verb=$1 folder=$root/$2
umask 077
case $verb in
start)
  mkdir -p "$root" && make_room "$4" && mkdir "$folder" && cat > "$folder/input" && : > "$folder/output" || exit 1
  echo "$3" > "$folder/started_at"
  setsid sh -c '
    umask 022
    sh -c "$1" < "$0/input" > "$0/output" 2>&1
    echo $? > "$0/code" && mv "$0/code" "$0/exit_code"' "$folder" "$5" > /dev/null 2>&1 < /dev/null &
  { read -r stat < "/proc/$!/stat"; } && set -- ${stat##*) } && echo "$! ${20}" > "$folder/process"
  show "$folder"
  ;;
list)
  for name in $(ls -tr "$root" 2>/dev/null | tail -n "$2"); do show "$root/$name"; done
  ;;
read)
  [ -d "$folder" ] || exit 3
  show "$folder"
  tail -c "+$(($3 + 1))" "$folder/output" | head -c "$4"
  ;;
kill)
  [ -d "$folder" ] || exit 3
  if process_of "$folder" && { runs "$folder" || [ ! -e "/proc/$pid" ]; } && [ ! -f "$folder/exit_code" ]; then
    { kill -s KILL -- "-$pid" || kill -s KILL "$pid"; } 2>/dev/null && : > "$folder/killed"
  fi
  show "$folder"
  ;;
esac
