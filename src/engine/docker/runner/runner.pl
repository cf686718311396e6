# Runs commands inside a container for the service, over standard input and output: many at once, each in a session of its own.
# Needs only perl-base. Begins with ../framing.pl; the frames are described in runner-frames.ts.
#
# A command is started only after its `started` frame has been written, so that the service, when it has read the stream to its end,
# knows every command that ran. A command that could not be started before its latest moment is never started.
my ($BACKLOG, $MOST_COMMANDS, $DRAIN_CHUNKS) = (262_144, 100, 16);
my ($HELLO, $RUN, $CANCEL, $STARTED, $REFUSED, $STDOUT, $STDERR, $ENDED) = map { ord } split //, 'HRCSFOEX';

$0 = 'exec-runner';
my $folder_at_start = POSIX::getcwd() || '/';
chdir '/';
$SIG{PIPE} = 'IGNORE';
$SIG{CHLD} = sub { };    # so that the end of a command interrupts select

# Milliseconds since the start, on a monotonic clock.
my ($ticks_per_second, $born) = (POSIX::sysconf(POSIX::_SC_CLK_TCK()), (POSIX::times())[0]);
sub clock { return int(((POSIX::times())[0] - $born) * 1000 / $ticks_per_second) }

my %commands;

# The connection to the service is lost. Running commands go on until their timeout; those that were not started are dropped.
sub alone_now {
    close delete $_->{go} for grep { $_->{go} } values %commands;
}

# In the child. A failure before exec is reported through $failed.
sub become {
    my ($command, $stdin, $stdout, $stderr, $go, $failed) = @_;
    POSIX::setsid();
    POSIX::dup2(fileno $stdin, 0);
    POSIX::dup2(fileno $stdout, 1);
    POSIX::dup2(fileno $stderr, 2);
    $SIG{$_} = 'DEFAULT' for 'PIPE', 'CHLD';
    my $word = '';
    if (chdir($command->{folder}) && sysread($go, $word, 1)) {
        exec { $command->{argv}[0] } @{ $command->{argv} };
    }
    syswrite $failed, 'x';
    POSIX::_exit(127);
}

sub start {
    my ($id, $payload) = @_;
    my ($timeout, $cap, $tail, $before, $folder, $input, @argv) = unpack 'N N N N N/a N/a (N/a)*', $payload;
    my $command = {
        folder => length $folder ? $folder : $folder_at_start,
        argv => \@argv, input => $input, cap => $cap - $tail, tail => $tail, before => $before, deadline => clock() + $timeout,
        kept => { $STDOUT => 0, $STDERR => 0 }, seen => { $STDOUT => 0, $STDERR => 0 }, last => { $STDOUT => '', $STDERR => '' },
        streams => {}, nap => 0.0005,
    };
    my $ready = keys(%commands) < $MOST_COMMANDS
        && pipe(my $stdin, my $write_stdin) && pipe(my $read_stdout, my $stdout) && pipe(my $read_stderr, my $stderr)
        && pipe(my $go, my $write_go) && pipe(my $read_failed, my $failed);
    my $pid = $ready ? fork : undef;
    return report($REFUSED, $id, '') unless defined $pid;
    if ($pid == 0) {
        close $write_go;
        become($command, $stdin, $stdout, $stderr, $go, $failed);
    }
    nonblocking($write_stdin, $read_stdout, $read_stderr, $read_failed);
    $command->{pid} = $pid;
    $command->{go} = $write_go;
    $command->{failed} = $read_failed;
    $command->{streams} = { $STDOUT => $read_stdout, $STDERR => $read_stderr };
    $command->{stdin} = $write_stdin;
    $commands{$id} = $command;
    feed($command);
    report($STARTED, $id, pack('N', $pid));
}

sub feed {
    my ($command) = @_;
    while (length $command->{input}) {
        my $sent = syswrite($command->{stdin}, $command->{input});
        return if !defined $sent && again();
        last unless defined $sent;    # it does not want the rest
        substr($command->{input}, 0, $sent) = '';
    }
    close delete $command->{stdin};
}

# True while there may be more to read.
sub take {
    my ($id, $command, $stream) = @_;
    my $handle = $command->{streams}{$stream} or return 0;
    my $size = sysread($handle, my $bytes, $CHUNK);
    return 0 if !defined $size && again();
    return (close(delete $command->{streams}{$stream}), 0)[1] unless $size;
    $command->{seen}{$stream} += $size;
    my $room = $command->{cap} - $command->{kept}{$stream};
    my $kept = $size < $room ? $size : $room;
    if ($kept > 0) {
        $command->{kept}{$stream} += $kept;
        report($stream, $id, substr($bytes, 0, $kept));
    }
    keep_last($command, $stream, substr($bytes, $kept)) if $kept < $size && $command->{tail};
    return 1;
}

# The end of an output that exceeds its cap, and up to as much again, so that it is seldom cut.
sub keep_last {
    my ($command, $stream, $bytes) = @_;
    my $last = \$command->{last}{$stream};
    $$last .= $bytes;
    $$last = substr($$last, -$command->{tail}) if length $$last > 2 * $command->{tail};
}

# Its process has ended. Background processes that it left may keep the pipes open, but do not delay the answer.
sub finish {
    my ($id, $command, $status) = @_;
    delete $commands{$id};
    return report($REFUSED, $id, '') if sysread($command->{failed}, my $word, 1);
    for my $stream ($STDOUT, $STDERR) {
        for (1 .. $DRAIN_CHUNKS) { take($id, $command, $stream) or last }
        my $last = $command->{last}{$stream};
        $last = substr($last, -$command->{tail}) if length $last > $command->{tail};
        report($stream, $id, $last) if length $last;
    }
    my $code = $status & 127 ? 128 + ($status & 127) : $status >> 8;
    report($ENDED, $id, pack('C C d> d>', $code, $command->{late} ? 1 : 0, @{ $command->{seen} }{ $STDOUT, $STDERR }));
}

sub release {
    return if length $to_send;
    for my $command (grep { $_->{go} } values %commands) {
        my $go = delete $command->{go};
        syswrite $go, 'g' if clock() <= $command->{before};
        close $go;
    }
}

report($HELLO, 0, '');
flush();
until ($alone && !%commands) {
    my ($readable, $writable, $wait) = ('', '', undef);
    my $soon = sub { $wait = $_[0] if !defined $wait || $_[0] < $wait };
    my $now = clock();
    vec($readable, 0, 1) = 1 unless $alone;
    vec($writable, 1, 1) = 1 if length $to_send;
    for my $command (values %commands) {
        if ($now >= $command->{deadline}) {
            $command->{late} = 1;
            kill 'KILL', -$command->{pid}, $command->{pid};
            $soon->(0.01);
        }
        $soon->(0.1);    # a signal that came just before select does not interrupt it
        $soon->(($command->{deadline} - $now) / 1000 + 0.001) if $command->{deadline} > $now;
        if (length $to_send < $BACKLOG) { vec($readable, fileno $_, 1) = 1 for values %{ $command->{streams} } }
        if ($command->{stdin}) { vec($writable, fileno $command->{stdin}, 1) = 1 }
        if (!%{ $command->{streams} }) {
            $soon->($command->{nap});
            $command->{nap} *= 2 if $command->{nap} < 0.05;
        }
    }
    ($readable, $writable) = ('', '') if select($readable, $writable, undef, $wait) <= 0;
    if (vec($readable, 0, 1)) {
        receive(sub {
            my ($type, $id, $payload) = @_;
            start($id, $payload) if $type == $RUN && !$alone;
            $commands{$id}{deadline} = 0 if $type == $CANCEL && $commands{$id};
        });
    }
    while (my ($id, $command) = each %commands) {
        for my $stream (keys %{ $command->{streams} }) {
            take($id, $command, $stream) if vec($readable, fileno $command->{streams}{$stream}, 1);
        }
        feed($command) if $command->{stdin} && vec($writable, fileno $command->{stdin}, 1);
    }
    while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
        my $status = $?;
        my ($id) = grep { $commands{$_}{pid} == $pid } keys %commands;
        finish($id, $commands{$id}, $status) if defined $id;
    }
    flush();
    release();
}
