# Kills a container that holds too much kernel memory of the kinds that the kernel charges to no container:
# unread data in sockets that are neither TCP nor Unix, queued errors and timestamps of any socket, rings of packet sockets, and
# record locks on files. No kernel setting limits their sum, so this program counts, and kills a container that has too much, as
# the kernel does when a container is out of memory. It runs in the engine's namespaces as long as they exist.
# Argument: the control group of the containers. Needs only perl-base, nsenter and ss.
use strict;
use warnings;

my ($parent) = @ARGV;
my $most_sockets = 8192;
my $most_bytes = 64 << 20;
my $most_table = 4 << 20;
my $few_tcp = 64;               # up to so many TCP sockets are not checked one by one
my $most_locks = 10_000;
my $most_descriptors = 100_000;
my $alarming_locks = 50_000;    # of the whole machine: below, locks of containers are not counted
my $pause_seconds = 0.25;
my $longest_pause = 1;
my $most_busy = 0.1;            # of one CPU, as far as the longest pause allows
my $lock_seconds = 2;
my $blind_lock_seconds = 30;    # where the kernel does not show how many locks there are
my $attempts = 5;
my $kcmp = { x86_64 => 312, aarch64 => 272 };
my $same_descriptors = 2;

sub read_file {
    my ($path, $most) = @_;
    open(my $file, '<', $path) or return '';
    my $text = '';
    while (length $text <= $most) { sysread($file, $text, 1 << 16, length $text) or last }
    return $text;
}

sub entries {
    my ($path) = @_;
    opendir(my $folder, $path) or return ();
    return grep { !/^\./ } readdir $folder;
}

# In cgroup v1 or v2. The group is created with the first container.
sub groups { return (grep { -d } "/sys/fs/cgroup/memory/$parent", "/sys/fs/cgroup/$parent")[0] // '/nonexistent' }

# The kernel shows 0 for a process that has just ended, and kill 0 would kill this program's own group.
sub pids { return grep { /^[1-9]\d*$/ } split /\n/, read_file(groups() . "/$_[0]/cgroup.procs", 1 << 20) }

# The folders of its threads below /proc: a process whose main thread has ended shows its state only there.
sub threads {
    my ($pid) = @_;
    return map { "/proc/$pid/task/$_" } grep { readlink "/proc/$pid/task/$_/ns/net" } entries("/proc/$pid/task");
}

my $own_user = readlink('/proc/self/ns/user');

# A thread through which the container can be examined; '' for a container of ours, which is in the engine's user namespace.
sub open_thread {
    my $found;
    for my $thread (map { threads($_) } @_) {
        my $user = readlink("$thread/ns/user") // next;
        return $thread if $user ne $own_user;
        $found = '';
    }
    return $found;
}

# Data to be sent is shown with its length, and takes up to twice as much memory.
sub both_ways {
    my ($sent, $received) = split /:/, (split ' ', $_[0])[4];
    return 2 * hex($sent) + hex($received);
}

# Tables of a network namespace, and how many queued bytes a row of each shows. They contain no text that a container chose.
my %waiting = (
    netlink => sub { my @words = split ' ', $_[0]; return $words[4] + $words[5] },
    packet => sub { (split ' ', $_[0])[6] },
    map { $_ => \&both_ways } qw(udp udp6 raw raw6 icmp icmp6 udplite udplite6),
);

sub sockets_by {
    my ($thread, $option) = @_;
    open(my $sockets, '-|', 'nsenter', "--net=$thread/ns/net", 'ss', $option) or return ();
    return <$sockets>;
}

sub ring_bytes {
    my $sum = 0;
    for (sockets_by($_[0], '-0en')) { $sum += $1 * $2 while /blk_size:(\d+),blk_nr:(\d+)/g }
    return $sum;
}

# Errors and timestamps: what exceeds the received data, which the kernel does charge to the container.
sub tcp_bytes {
    my ($sum, $received) = (0, 0);
    for (sockets_by($_[0], '-tanmH')) {
        $received = $1 if /^\S+\s+(\d+)\s/;
        $sum += $1 - 4 * $received if /skmem:\(r(\d+),/ and $1 > 4 * $received;
    }
    return $sum;
}

# Returns undef where the thread has ended meanwhile.
sub has_too_much_in_sockets {
    my ($thread) = @_;
    my $summary = read_file("$thread/net/sockstat", 4096);
    my ($used) = $summary =~ /^sockets: used (\d+)/m or return undef;
    return 1 if $used > $most_sockets;    # checked first: reading the tables takes longer the more sockets there are
    my $sum = 0;
    for my $name (keys %waiting) {
        my $text = read_file("$thread/net/$name", $most_table);
        return 1 if length $text > $most_table;
        my (undef, @rows) = split /\n/, $text;
        $sum += $waiting{$name}->($_) || 0 for @rows;
        $sum += ring_bytes($thread) if $name eq 'packet' and @rows;
    }
    my ($tcp) = $summary =~ /^TCP: inuse (\d+)/m;
    $sum += tcp_bytes($thread) if $sum <= $most_bytes and ($tcp // 0) > $few_tcp;
    return $sum > $most_bytes ? 1 : 0;
}

# Whether two threads have separate descriptor tables.
sub differ {
    my ($one, $other) = map { m{(\d+)$} ? int $1 : 0 } @_;
    our $syscall_number //= $kcmp->{ (split ' ', `uname -m`)[0] };
    return !defined $syscall_number || syscall($syscall_number, $one, $other, $same_descriptors, 0, 0) != 0;
}

# The kernel shows each lock of a process once per descriptor of the file.
sub has_too_many_locks {
    my ($locks, $descriptors) = (0, 0);
    for my $pid (@_) {
        my ($first, @others) = threads($pid);
        next unless defined $first;
        my %held;
        for my $thread ($first, grep { differ($first, $_) } @others) {
            for my $descriptor (entries("$thread/fdinfo")) {
                my $text = read_file("$thread/fdinfo/$descriptor", 1 << 20);
                $held{$1} = 1 while $text =~ /^lock:\s+\d+: (.*)/mg;
                return 1 if $locks + keys %held > $most_locks or ++$descriptors > $most_descriptors;
            }
        }
        $locks += keys %held;
    }
    return 0;
}

sub machine_locks { return read_file('/proc/slabinfo', 1 << 20) =~ /^file_lock_cache\s+(\d+)/m ? $1 : undef }

# A container whose processes cannot be examined in several attempts is hiding something, and counts as over the limit.
sub is_over {
    my ($container, $asks_for_locks) = @_;
    for (1 .. $attempts) {
        my @pids = pids($container) or return 0;
        my $thread = open_thread(@pids) // next;
        return 0 if $thread eq '';
        my $over = has_too_much_in_sockets($thread) // next;
        return $over || $asks_for_locks && has_too_many_locks(@pids);
    }
    return 1;
}

sub busy_seconds { my ($user, $system, $child_user, $child_system) = times; return $user + $system + $child_user + $child_system }

# Locks are not counted in every round, because the kernel takes a while to report them.
my $next_locks = 0;
while (1) {
    my $before = busy_seconds();
    my $asks_for_locks = 0;
    if (time >= $next_locks) {
        my $locks = machine_locks();
        $asks_for_locks = !defined $locks || $locks > $alarming_locks;
        $next_locks = time + (defined $locks ? $lock_seconds : $blind_lock_seconds);
    }
    for my $container (grep { /^[0-9a-f]{64}$/ } entries(groups())) {
        next unless is_over($container, $asks_for_locks);
        print STDERR "container $container was ended: it kept more of the kernel's memory than it may\n";
        kill 'KILL', $_ for pids($container);
    }
    my $rest = (busy_seconds() - $before) / $most_busy;
    $rest = $pause_seconds if $rest < $pause_seconds;
    select(undef, undef, undef, $rest < $longest_pause ? $rest : $longest_pause);
}
