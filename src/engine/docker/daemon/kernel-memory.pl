# Ends a container that keeps more of the kernel's memory than it may, where the kernel counts that memory for no container:
# what waits in sockets that are neither TCP nor Unix, errors that wait there too, rings of packet sockets, what a socket
# remembers about itself, and locks on parts of files. No setting bounds their sum, so this program counts, and does to whoever
# has too much what the kernel does to a container that is out of memory. It runs in the engine's namespaces for as long as they
# live. Argument: the control group of the containers. Needs nothing but perl-base, nsenter and ss.
use strict;
use warnings;

my ($parent) = @ARGV;
my $most_sockets = 8192;
my $most_bytes = 64 << 20;
my $most_table = 4 << 20;
my $most_locks = 10_000;
my $most_descriptors = 50_000;
my $alarming_locks = 50_000;    # of the whole machine: below, nobody is asked for theirs
my $pause_seconds = 0.25;
my $most_busy = 0.1;            # of one processor, however many containers there are

# Under the first kind of control groups, or the second. It is made with the first container.
sub groups { return (grep { -d } "/sys/fs/cgroup/memory/$parent", "/sys/fs/cgroup/$parent")[0] // '/nonexistent' }

# Tables of the kernel for one network namespace, and where a row says how many bytes wait. No text of a container is in them.
my $hexadecimal = sub { hex((split /:/, (split ' ', $_[0])[4])[1] // '') };
my %waiting = (
    netlink => sub { (split ' ', $_[0])[4] },
    packet => sub { (split ' ', $_[0])[6] },
    map { $_ => $hexadecimal } qw(udp udp6 raw raw6 icmp icmp6 udplite udplite6),
);

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

# Below /proc, one folder for each thread: a process whose first thread has ended shows nothing of itself anywhere else.
sub threads {
    my ($pid) = @_;
    return map { "/proc/$pid/task/$_" } entries("/proc/$pid/task");
}

my $own_user = readlink('/proc/self/ns/user');

# A thread in which the container can be looked at; '' for one of ours, which is in the engine's user namespace.
sub open_thread {
    my $found;
    for my $thread (map { threads($_) } @_) {
        next unless readlink("$thread/ns/net");    # it has ended
        my $user = readlink("$thread/ns/user") // next;
        return $thread if $user ne $own_user;
        $found = '';
    }
    return $found;
}

sub socket_count { return read_file("$_[0]/net/sockstat", 4096) =~ /^sockets: used (\d+)/m ? $1 : 0 }

sub ring_bytes {
    my ($thread) = @_;
    open(my $sockets, '-|', 'nsenter', "--net=$thread/ns/net", 'ss', '-0en') or return 0;
    my $sum = 0;
    while (<$sockets>) { $sum += $1 * $2 while /blk_size:(\d+),blk_nr:(\d+)/g }
    return $sum;
}

sub has_too_much_in_sockets {
    my ($thread) = @_;
    return 1 if socket_count($thread) > $most_sockets;    # first: the tables take the longer, the more there are
    my $sum = 0;
    for my $name (keys %waiting) {
        my $text = read_file("$thread/net/$name", $most_table);
        return 1 if length $text > $most_table;
        my (undef, @rows) = split /\n/, $text;
        $sum += $waiting{$name}->($_) || 0 for @rows;
        $sum += ring_bytes($thread) if $name eq 'packet' and @rows;
        return 1 if $sum > $most_bytes;
    }
    return 0;
}

# Locks of a process are shown with the descriptors by which they are held.
sub has_too_many_locks {
    my ($locks, $descriptors) = (0, 0);
    for my $thread (map { threads($_) } @_) {
        for my $descriptor (entries("$thread/fdinfo")) {
            $locks += () = read_file("$thread/fdinfo/$descriptor", 1 << 20) =~ /^lock:/mg;
            return 1 if $locks > $most_locks or ++$descriptors > $most_descriptors;
        }
    }
    return 0;
}

sub machine_locks { return read_file('/proc/slabinfo', 1 << 20) =~ /^file_lock_cache\s+(\d+)/m ? $1 : 0 }

sub pids { return split /\n/, read_file(groups() . "/$_[0]/cgroup.procs", 1 << 20) }

sub busy_seconds { my ($user, $system, $child_user, $child_system) = times; return $user + $system + $child_user + $child_system }

while (1) {
    my $before = busy_seconds();
    my $many_locks = machine_locks() > $alarming_locks;
    for my $container (grep { /^[0-9a-f]{64}$/ } entries(groups())) {
        my @pids = pids($container);
        my $thread = open_thread(@pids);
        next if defined $thread and $thread eq '';
        # There are processes, and none that shows itself: that takes an effort.
        my $hides = !defined $thread && @pids && !defined open_thread(pids($container)) && pids($container);
        next unless $hides or defined $thread and has_too_much_in_sockets($thread) || $many_locks && has_too_many_locks(@pids);
        print STDERR "container $container was ended: it kept more of the kernel's memory than it may\n";
        kill 'KILL', $_ for pids($container);
    }
    my $rest = (busy_seconds() - $before) / $most_busy;
    select(undef, undef, undef, $rest > $pause_seconds ? $rest : $pause_seconds);
}
