# Runs a command as another user of the container, as `docker exec --user` does. The engine itself would read /etc/passwd of the
# container, which could be a named pipe that blocks it; here only the command itself would block.
use strict;
use POSIX ();

my ($who, @argv) = @ARGV;
my ($name, $group) = split /:/, $who, 2;
my @entry = $name =~ /^\d+$/ ? getpwuid $name : getpwnam $name;
sub missing { print STDERR "unable to find $_[0]: no matching entries in $_[1] file\n"; POSIX::_exit(126) }
missing("user $name", 'passwd') unless @entry || $name =~ /^\d+$/;
my ($uid, $gid, $home) = @entry ? @entry[2, 3, 7] : ($name, 0, '/');
my @others;
if (defined $group && length $group) {
    $gid = $group =~ /^\d+$/ ? $group : getgrnam $group;
    missing("group $group", 'group') unless defined $gid;
} elsif (@entry) {
    while (my @each = getgrent) { push @others, $each[2] if grep { $_ eq $entry[0] } split ' ', $each[3] }
}
$) = join ' ', $gid, $gid, @others;
POSIX::setgid($gid);
POSIX::setuid($uid);
$ENV{HOME} = $home;
exec { $argv[0] } @argv;
my $code = $! == POSIX::ENOENT() ? 127 : 126;
print STDERR "$argv[0]: $!\n";
POSIX::_exit($code);
