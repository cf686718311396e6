# Runs the runtime (runc) and throttles what its container prints. The engine reads container output line by line and writes each
# line to a log: work that is charged to the engine, not to the container. A process of this program stands between the two and
# passes on a fixed number of bytes a second; a container that prints more blocks in write(). It ends with the last writer.
# Arguments: the command of the runtime. Needs nothing but perl-base.
use strict;
use warnings;

my $rate = 1 << 20;     # bytes a second
my $line_bytes = 32;    # what a line costs beyond its own bytes
my $chunk_bytes = 16384;
my $interrupted = 4;

my @streams;
for my $target (\*STDOUT, \*STDERR) {
    pipe(my $reader, my $writer) or die "pipe: $!";
    my ($uid, $gid) = (stat $target)[4, 5];
    chown $uid, $gid, $writer;    # root of the container may open it anew, by its name in /proc
    open(my $sink, '>&', $target) or die "dup: $!";
    push @streams, { reader => $reader, writer => $writer, sink => $sink, target => $target };
}

if (fork // die "fork: $!") {
    for (@streams) { open($_->{target}, '>&', $_->{writer}) or exit 1 }
    exec { $ARGV[0] } @ARGV or exit 1;
}

setpgrp;
$SIG{PIPE} = 'IGNORE';
open(STDIN, '<', '/dev/null');
for (@streams) {
    close $_->{writer};
    open($_->{target}, '>', '/dev/null');
}

sub pass {
    my ($sink, $bytes) = @_;
    while (length $bytes) {
        my $written = syswrite $sink, $bytes;
        if (defined $written) { substr($bytes, 0, $written, '') }
        elsif ($! != $interrupted) { return 0 }
    }
    return 1;
}

while (@streams) {
    my $ready = '';
    vec($ready, fileno $_->{reader}, 1) = 1 for @streams;
    next unless select($ready, undef, undef, undef) > 0;
    my $cost = 0;
    my @open;
    for my $stream (@streams) {
        if (vec($ready, fileno $stream->{reader}, 1)) {
            my $got = sysread($stream->{reader}, my $bytes, $chunk_bytes);
            next unless defined $got ? $got && pass($stream->{sink}, $bytes) : $! == $interrupted;
            $cost += length($bytes) + $line_bytes * ($bytes =~ tr/\n//);
        }
        push @open, $stream;
    }
    @streams = @open;    # what is no longer named is closed
    select(undef, undef, undef, $cost / $rate) if $cost;
}
