# The first process of an engine's namespaces (network, mounts, processes). It serves nobody: it buries processes whose parents
# are gone, keeps that watch running, and when it ends, the kernel ends everything else in here.
# Arguments: the resolver's file that the engine shall see; the program that watches over the kernel's memory, and its argument.
ip link set lo up
mount --bind "$1" /etc/resolv.conf 2>/dev/null
# A containerd of the machine would be taken for our own.
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
