# The common beginning of the helper programs that exchange frames (frames.ts) with the service over standard input and output.
# The program that follows defines alone_now, which is called when the connection to the service is lost.
use strict;
use POSIX ();

my $CHUNK = 65_536;
my ($received, $to_send, $alone) = ('', '', 0);

sub again { return $! == POSIX::EAGAIN() || $! == POSIX::EINTR() }
sub nonblocking { fcntl($_, POSIX::F_SETFL(), POSIX::O_NONBLOCK()) for @_ }
nonblocking(\*STDIN, \*STDOUT);

sub report {
    my ($type, $id, $payload) = @_;
    $to_send .= pack('C N N', $type, $id, length $payload) . $payload unless $alone;
}

sub leave_alone {
    ($alone, $to_send) = (1, '');
    alone_now();
}

sub flush {
    while (length $to_send) {
        my $sent = syswrite(STDOUT, $to_send);
        return if !defined $sent && again();
        return leave_alone() unless defined $sent;
        substr($to_send, 0, $sent) = '';
    }
}

# Reads once, and passes on every complete frame.
sub receive {
    my ($take) = @_;
    my $size = sysread(STDIN, $received, $CHUNK, length $received);
    leave_alone() if defined $size ? !$size : !again();
    while (length $received >= 9) {
        my ($type, $id, $length) = unpack 'C N N', $received;
        last if length $received < 9 + $length;
        my $payload = substr($received, 9, $length);
        substr($received, 0, 9 + $length) = '';
        $take->($type, $id, $payload);
    }
}

