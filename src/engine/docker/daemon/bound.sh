#!/bin/sh
# A prestart hook of the runtime, run before any program of a container. It limits resources that the whole machine shares and that
# are otherwise charged to no container:
# - inotify instances and watches of its user namespace; only CAP_SYS_RESOURCE in there could raise that again, and nobody has it;
# - packets a second that its network namespace sends to the engine's name server; CAP_NET_ADMIN could lift that;
# - tracked connections of its network namespace: only those to the name server, whose NAT rules need it;
# - option memory and timestamps of each socket, where the kernel has such settings;
# - buffers of TCP and UDP sockets, which cgroup v1 does not count as memory.
# Standard input is the container's state as JSON, from the runtime. Containers of ours, in the engine's own user namespace, are
# not limited.
state=
while IFS= read -r line || [ -n "$line" ]; do state=$state$line; done
pid=${state#*'"pid":'}
pid=${pid# }
pid=${pid%%[!0-9]*}
[ -n "$pid" ] || exit 1
[ ! "/proc/$pid/ns/user" -ef /proc/self/ns/user ] || exit 0

# A quarter of its memory, but enough for some hundred connections. runc itself does not support this limit.
while IFS=: read -r _ controller group; do
  [ "$controller" = memory ] && [ "$group" != / ] || continue
  memory=/sys/fs/cgroup/memory$group
  [ -f "$memory/memory.kmem.tcp.limit_in_bytes" ] || continue
  read -r bytes < "$memory/memory.limit_in_bytes"
  sockets=$((bytes / 4))
  [ "$sockets" -gt 16777216 ] || sockets=16777216
  echo "$sockets" > "$memory/memory.kmem.tcp.limit_in_bytes"
done < "/proc/$pid/cgroup"

# Without the iptables modules there is no such limit.
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
nsenter "--net=/proc/$pid/ns/net" sh -c '
  echo 20480 > /proc/sys/net/core/optmem_max
  echo 0 > /proc/sys/net/core/tstamp_allow_data
  restore() { printf "*raw\n%sCOMMIT\n" "$2" | "$1" --wait 5 --noflush; }
  restore iptables-restore "$1$2" || restore iptables-restore "$1"
  restore ip6tables-restore "$3"' sh "$names" "$others" "$all" > /dev/null 2>&1

exec nsenter --user --target "$pid" sh -c '
  echo 128 > /proc/sys/user/max_inotify_instances && echo 65536 > /proc/sys/user/max_inotify_watches'
