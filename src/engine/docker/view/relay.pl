# Listens on a unix socket inside a container, and relays each connection to the service over standard input and output. Needs only
# perl-base. Begins with ../framing.pl; the frames are described in relay-frames.ts.
#
# Each connection has a flow control window, and no more than that is buffered.
use Socket;

my ($BACKLOG, $MOST_CONNECTIONS, $MOST_WAITING, $WINDOW, $LOOK_SECONDS) = (262_144, 16, 256, 131_072, 1);
my ($HELLO, $OPEN, $DATA, $END, $CLOSED, $TAKEN) = map { ord } split //, 'HODECT';

my ($path) = @ARGV;
$0 = 'container-view';
chdir '/';
$SIG{PIPE} = 'IGNORE';

my ($listener, $own_place, $last_id, %connections) = (undef, '', 0);

sub place_of { my @found = lstat $_[0]; return @found ? "$found[0]:$found[1]" : '' }

# False when the socket cannot be created.
sub listen_there {
    unlink $path if -S $path;
    my $before = umask 0117;
    my $done = socket($listener, PF_UNIX, SOCK_STREAM, 0) && bind($listener, pack_sockaddr_un($path)) && listen($listener, $MOST_WAITING);
    umask $before;
    return undef $listener unless $done;
    nonblocking($listener);
    $own_place = place_of($path);
    return 1;
}

sub alone_now {
    unlink $path if $own_place ne '' && place_of($path) eq $own_place;
    exit 0;
}

sub shut {
    my ($id, $quietly) = @_;
    my $connection = delete $connections{$id} or return;
    close $connection->{socket};
    report($CLOSED, $id, '') unless $quietly;
}

sub take_connection {
    accept(my $socket, $listener) or return;
    nonblocking($socket);
    $last_id += 1;
    $connections{$last_id} = { socket => $socket, credit => $WINDOW, out => '', taken => 0 };
    report($OPEN, $last_id, '');
}

sub read_from {
    my ($id, $connection) = @_;
    my $most = $connection->{credit} < $CHUNK ? $connection->{credit} : $CHUNK;
    my $size = sysread($connection->{socket}, my $bytes, $most);
    return if !defined $size && again();
    return shut($id) unless defined $size;
    if ($size) {
        $connection->{credit} -= $size;
        return report($DATA, $id, $bytes);
    }
    $connection->{heard_all} = 1;
    report($END, $id, '');
}

sub write_to {
    my ($id, $connection) = @_;
    while (length $connection->{out}) {
        my $sent = syswrite($connection->{socket}, $connection->{out}, $CHUNK);
        return if !defined $sent && again();
        return shut($id, $connection->{closing}) unless defined $sent;
        substr($connection->{out}, 0, $sent) = '';
        $connection->{taken} += $sent;
        next if $connection->{taken} < $WINDOW / 2 || $connection->{closing};
        report($TAKEN, $id, pack('N', $connection->{taken}));
        $connection->{taken} = 0;
    }
    return shut($id, 1) if $connection->{closing};
    shutdown($connection->{socket}, 1) if $connection->{said_all};
}

sub take_frame {
    my ($type, $id, $payload) = @_;
    my $connection = $connections{$id} or return;
    if ($type == $DATA) { $connection->{out} .= $payload }
    elsif ($type == $TAKEN) { $connection->{credit} += unpack 'N', $payload }
    elsif ($type == $END) { $connection->{said_all} = 1 }
    elsif ($type == $CLOSED) { $connection->{closing} = 1 }
    write_to($id, $connection);
}

# A client that has closed its sending side may still read, or may have disconnected. Sending an empty message shows which.
sub look_after {
    my ($id, $connection) = @_;
    shut($id, $connection->{closing}) if $connection->{heard_all} && !defined send($connection->{socket}, '', 0) && !again();
}

listen_there() or exit 1;
report($HELLO, 0, '');
flush();
my $next_look = time + $LOOK_SECONDS;
until ($alone) {
    my ($readable, $writable) = ('', '');
    vec($readable, 0, 1) = 1;
    vec($writable, 1, 1) = 1 if length $to_send;
    if (length $to_send < $BACKLOG) {
        vec($readable, fileno $listener, 1) = 1 if $listener && keys %connections < $MOST_CONNECTIONS;
        for (grep { $_->{credit} > 0 && !$_->{heard_all} && !$_->{closing} } values %connections) {
            vec($readable, fileno $_->{socket}, 1) = 1;
        }
    }
    vec($writable, fileno $_->{socket}, 1) = 1 for grep { length $_->{out} } values %connections;
    ($readable, $writable) = ('', '') if select($readable, $writable, undef, $LOOK_SECONDS) <= 0;
    receive(\&take_frame) if vec($readable, 0, 1);
    for my $id (sort { $a <=> $b } keys %connections) {
        my $connection = $connections{$id};
        my $descriptor = fileno $connection->{socket};
        write_to($id, $connection) if vec($writable, $descriptor, 1);
        read_from($id, $connection) if $connections{$id} && !$connection->{closing} && vec($readable, $descriptor, 1);
    }
    take_connection() if $listener && vec($readable, fileno $listener, 1);
    if (time >= $next_look || time < $next_look - $LOOK_SECONDS) {
        $next_look = time + $LOOK_SECONDS;
        look_after($_, $connections{$_}) for keys %connections;
        listen_there() if place_of($path) eq '';
    }
    flush();
}
