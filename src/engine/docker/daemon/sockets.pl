# Ends a container whose sockets keep more of the kernel's memory than it may. What waits in sockets of netlink, packets, ICMP
# and raw IP, and the rings of packet sockets, are counted as the memory of no container, and no setting bounds their sum; so
# this program counts them, in each network namespace, and does to whoever has too much what the kernel does to a container
# that is out of memory. It runs in the engine's namespaces for as long as they live. Needs nothing but perl-base, nsenter and ss.
use strict;
use warnings;

my $most_bytes = 64 << 20;
my $most_table = 8 << 20;        # a table that is longer has more sockets than anybody needs
my $pause_seconds = 0.5;
my $most_busy = 0.1;             # of one processor, however many containers there are

# Tables of the kernel for one network namespace, and where a row says how many bytes wait. No text of a container is in them.
my %waiting = (
    netlink => sub { (split ' ', $_[0])[4] },
    packet => sub { (split ' ', $_[0])[6] },
    map { $_ => sub { hex((split /:/, (split ' ', $_[0])[4])[1] // '') } } qw(raw raw6 icmp icmp6 udplite udplite6),
);

sub link_of { readlink("/proc/$_[0]/ns/$_[1]") // '' }

my ($own_net, $own_user) = (link_of('self', 'net'), link_of('self', 'user'));

# By network namespace: the processes in it that belong to a sandbox. Programs of ours that look at it are in the engine's user namespace.
sub processes {
    my %found;
    opendir(my $folder, '/proc') or return \%found;
    for my $pid (grep { /^\d+$/ } readdir $folder) {
        my $net = link_of($pid, 'net');
        next if $net eq '' or $net eq $own_net;
        my $user = link_of($pid, 'user');
        push @{ $found{$net} }, $pid unless $user eq '' or $user eq $own_user;
    }
    return \%found;
}

sub read_table {
    my ($path) = @_;
    open(my $table, '<', $path) or return '';
    my $text = '';
    while (length $text <= $most_table) { sysread($table, $text, 1 << 16, length $text) or last }
    return $text;
}

sub ring_bytes {
    my ($pid) = @_;
    open(my $sockets, '-|', 'nsenter', "--net=/proc/$pid/ns/net", 'ss', '-0en') or return 0;
    my $sum = 0;
    while (<$sockets>) { $sum += $1 * $2 while /blk_size:(\d+),blk_nr:(\d+)/g }
    return $sum;
}

sub is_over {
    my ($pid) = @_;
    my $sum = 0;
    for my $name (keys %waiting) {
        my $text = read_table("/proc/$pid/net/$name");
        return 1 if length $text > $most_table;
        my (undef, @rows) = split /\n/, $text;
        $sum += $waiting{$name}->($_) || 0 for @rows;
        $sum += ring_bytes($pid) if $name eq 'packet' and @rows;
        return 1 if $sum > $most_bytes;
    }
    return 0;
}

sub busy_seconds { my ($user, $system, $child_user, $child_system) = times; return $user + $system + $child_user + $child_system }

while (1) {
    my $before = busy_seconds();
    my $processes = processes();
    for my $net (keys %$processes) {
        my @pids = @{ $processes->{$net} };
        next unless is_over($pids[0]);
        print STDERR "a container was ended: its sockets kept more of the kernel's memory than they may\n";
        for (@pids) { kill 'KILL', $_ if link_of($_, 'net') eq $net }
    }
    my $rest = (busy_seconds() - $before) / $most_busy;
    select(undef, undef, undef, $rest > $pause_seconds ? $rest : $pause_seconds);
}
