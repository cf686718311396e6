#!/bin/sh
# A hook of the runtime, before anything of a container runs. It bounds what the container may take of what is one for the whole
# machine and is counted for no container otherwise:
# - inotify instances and watches of its user namespace; only CAP_SYS_RESOURCE in there could raise that again, and nobody has it;
# - packets a second that its network namespace sends to the engine's name server; CAP_NET_ADMIN could lift that;
# - connections that the kernel remembers for its network namespace: none but those to the name server, whose rules need it;
# - what each of its sockets remembers about itself and about what it sent, where the kernel has such settings;
# - what waits in its sockets of TCP and UDP, which the first kind of control groups does not count as memory.
# Standard input is the container's state as JSON, from the runtime; a container of ours in the engine's own user
# namespace is left alone.
pid=$(sed -n 's/.*"pid": *\([0-9][0-9]*\).*/\1/p' | head -n 1)
[ -n "$pid" ] || exit 1
[ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ] || exit 0

# A quarter of its memory, and never less than some hundred connections need. runc itself ignores such a limit.
group=$(sed -n 's/^[0-9]*:memory:\(\/..*\)/\1/p' "/proc/$pid/cgroup")
memory=/sys/fs/cgroup/memory$group
if [ -n "$group" ] && [ -f "$memory/memory.kmem.tcp.limit_in_bytes" ]; then
  sockets=$(($(cat "$memory/memory.limit_in_bytes") / 4))
  [ "$sockets" -gt 16777216 ] || sockets=16777216
  echo "$sockets" > "$memory/memory.kmem.tcp.limit_in_bytes"
fi

nsenter "--net=/proc/$pid/ns/net" sh -c '
  echo 20480 > /proc/sys/net/core/optmem_max
  echo 0 > /proc/sys/net/core/tstamp_allow_data' 2> /dev/null

# A kernel that cannot count packets, or has no such rules, has no such bound.
restore() {
  printf '*raw\n%sCOMMIT\n' "$2" | nsenter "--net=/proc/$pid/ns/net" "$1" --wait 5 --noflush > /dev/null 2>&1
}
few='-m limit --limit 1000/s --limit-burst 2000 -j ACCEPT'
names="-A OUTPUT -d 127.0.0.11/32 $few
-A OUTPUT -d 127.0.0.11/32 -j DROP
-A OUTPUT -s 127.0.0.11/32 $few
-A OUTPUT -s 127.0.0.11/32 -j DROP
"
others="-A PREROUTING ! -s 127.0.0.11/32 ! -d 127.0.0.11/32 -j CT --notrack
-A OUTPUT ! -s 127.0.0.11/32 ! -d 127.0.0.11/32 -j CT --notrack
"
all='-A PREROUTING -j CT --notrack
-A OUTPUT -j CT --notrack
'
restore iptables-restore "$names$others" || restore iptables-restore "$names"
restore ip6tables-restore "$all"

exec nsenter --user --target "$pid" sh -c '
  echo 128 > /proc/sys/user/max_inotify_instances && echo 65536 > /proc/sys/user/max_inotify_watches'
