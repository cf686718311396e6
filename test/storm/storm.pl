# A hostile root in one container: does whatever could deceive, block or crash an inspector, until it is killed.
# Arguments: a seed, how many acts at once. Perl, because every Debian image has it.
use strict; use warnings; use Socket; use POSIX ();

my ($seed, $acts) = @ARGV;
srand $seed;
$SIG{$_} = 'IGNORE' for qw(HUP INT TERM IO PIPE USR1);
POSIX::setsid();

sub pick { $_[rand @_] }
sub noise { join '', map { chr 1 + int rand 255 } 1 .. shift }
my @tricks = ("\n", "\r", "\xff", ' (deleted)', ') R 1 1 1', "\n1 1 1\n", '//', "\e[2J", '$(id)', "';", '%n', '*');
sub name { my $text = noise(1 + rand 8) . pick(@tricks) . noise(1 + rand 8); $text =~ tr{/\0}{__}; substr $text, 0, 200 }
my @folders = grep { -d } qw(/etc /etc/nginx /etc/nginx/conf.d /usr/local/bin /usr/bin /srv /opt /root /var/log /tmp /var/lib /etc/postgresql);
sub place { my $folder = pick(@folders); "$folder/" . name() }

# Each is run by a process of its own, again and again.
my %acts = (
  # Processes that are called what a reader by line and word takes for fields.
  names => sub { $0 = pick("\xff", " 1 1 0 1\n", ') S 1 1 1 0', "x\n$$ (y) R 1 1 1", noise(15)); select undef, undef, undef, 0.2 },
  # Born and dead as fast as it goes.
  flicker => sub { for (1 .. 50) { my $child = fork; next unless defined $child; POSIX::_exit(0) if $child == 0; waitpid $child, 0 } },
  # Code whose file is gone, with another file in the place that the kernel names.
  deleted => sub {
    my $path = '/tmp/' . name();
    system 'cp', '/bin/sleep', $path or do {
      my $child = fork;
      if (defined $child && $child == 0) { exec { $path } $path, '3' or POSIX::_exit(0) }
      select undef, undef, undef, 0.05;
      unlink $path; symlink '/bin/sh', "$path (deleted)";
      waitpid $child, 0 if defined $child;
      unlink "$path (deleted)";
    };
  },
  files => sub { for (1 .. 20) { my $path = place(); open my $file, '>', $path or next; print $file noise(64); close $file; unlink $path if rand() < 0.8 } },
  fifos => sub { my $path = place(); POSIX::mkfifo($path, 0666); select undef, undef, undef, 0.5; unlink $path },
  links => sub { my $path = place(); symlink pick($path, '/dev/zero', '/proc/self/root/proc/self/root', '/proc/kmsg', '../' x 500, '/dev/ptmx'), $path; select undef, undef, undef, 0.5; unlink $path },
  # Large without a block on the disk.
  sparse => sub { my $path = place(); open my $file, '>', $path or return; truncate $file, 900 * 2**20; close $file; sleep 2; unlink $path },
  deep => sub {
    chdir '/tmp' or return;
    for (1 .. 600) { my $folder = 'd' x 40; mkdir $folder; chdir $folder or last }
    chdir '/'; sleep 1; system 'rm', '-rf', '/tmp/' . 'd' x 40;
  },
  # Whoever opens the file waits for its holder, who does not care. F_SETLEASE is 1024.
  leases => sub {
    my @held;
    for my $path (glob('/etc/*'), glob('/etc/nginx/*'), glob('/usr/local/bin/*'), glob('/opt/*')) {
      next unless -f $path && open my $file, '+<', $path;
      push @held, $file if fcntl $file, 1024, pick(0, 1);
    }
    sleep 3;
  },
  # Servers that answer garbage, slowly, or for ever, also in the place of the real ones.
  servers => sub {
    socket my $server, PF_INET, SOCK_STREAM, 0 or return;
    setsockopt $server, SOL_SOCKET, SO_REUSEADDR, 1;
    bind $server, sockaddr_in(pick(80, 5432, 8000, 8080, 6379, 5672, 1024 + int rand 60000), INADDR_ANY) or return sleep 1;
    listen $server, 64;
    my $until = time + 4;
    while (time < $until) {
      my $ready = ''; vec($ready, fileno $server, 1) = 1;
      next unless select $ready, undef, undef, 0.5;
      accept my $peer, $server or next;
      my $manner = int rand 3;
      for (1 .. ($manner == 0 ? 1 : $manner == 1 ? 20 : 2000)) {
        last unless syswrite $peer, $manner == 1 ? noise(1) : 'HTTP/1.1 200 OK' . noise(4000);
        select undef, undef, undef, 0.1 if $manner == 1;
      }
    }
  },
  sockets => sub {
    my @held;
    for (1 .. 100) { socket my $one, PF_UNIX, SOCK_STREAM, 0 or last; bind $one, pack_sockaddr_un("\0" . noise(60)); listen $one, 1; push @held, $one }
    sleep 2;
  },
  terminals => sub { my @held; for (1 .. 200) { open my $one, '+<', '/dev/ptmx' or last; push @held, $one } sleep 2 },
  # Long words and surroundings of random bytes.
  words => sub {
    my $child = fork;
    if (defined $child && $child == 0) { %ENV = (noise(20) => noise(60_000), LD_PRELOAD => noise(40)); exec { '/bin/sleep' } noise(1000) . "\n", '2', map { noise(900) } 1 .. 50; POSIX::_exit(0) }
    waitpid $child, 0 if defined $child;
  },
  # The real ones, now and then.
  killing => sub { sleep 1 + rand 3; kill pick('STOP', 'CONT', 'TERM'), $_ for grep { $_ > 1 && $_ != $$ && rand() < 0.1 } map { m{/proc/(\d+)$} ? $1 : () } glob '/proc/*' },
);

my @chosen = map { pick(sort keys %acts) } 1 .. $acts;
my $number = 0;
for my $act ("names", "leases", @chosen) {
  $number += 1;
  my $child = fork;
  next if !defined $child || $child > 0;
  srand($seed + $number);
  while (1) { eval { $acts{$act}->() }; select undef, undef, undef, 0.01 }
}
sleep 3600 while 1;
