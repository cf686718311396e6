# Pid 1 of an engine's namespaces (network, mount, pid). It reaps orphaned processes and keeps kernel-memory.pl running; when it
# ends, the kernel kills everything else in the namespaces.
# Arguments: the resolv.conf for the engine; the path of kernel-memory.pl, and its argument.
ip link set lo up
mount --bind "$1" /etc/resolv.conf 2>/dev/null
# Hides the machine's containerd, which dockerd would use instead of starting its own.
[ ! -d /run/containerd ] || mount -t tmpfs -o mode=0700 tmpfs /run/containerd
sysctl -qw net.ipv4.ip_forward=1 2>/dev/null || echo 1 > /proc/sys/net/ipv4/ip_forward
echo ready
exec 1>/dev/null
while :; do
  setsid perl "$2" "$3" &
  wait $!
  sleep 1 & # it has ended, or there is no perl
  wait $!
done
