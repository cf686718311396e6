# Creates a container for runtime.sh: adds limits to its config.json (terminals, and the hook bound.sh), then runs the runtime. What a
# container of users prints is throttled (throttle-output.pl). It has no session keyring of its own: the kernel allows a user 200 keys,
# and all containers have the same user outside, so no more than that could run. Programs in there may not make keys (seccomp.ts).
# Arguments: the folder of these programs, then the command of the runtime. Needs nothing but perl-base.
use strict;
use warnings;

my ($here, @command) = @ARGV;
my $bundle = '.';
for my $index (1 .. $#command) {
    $bundle = $command[$index] if $command[$index - 1] eq '--bundle';
}

my $file = "$bundle/config.json";
open(my $input, '<', $file) or die "$file: $!";
my $config = do { local $/; <$input> };
close $input;

$config =~ s/"ptmxmode=0666"/$&,"max=128"/ or die 'config.json has no terminals to limit';
my $hook = qq({"path":"$here/bound.sh"});
$config =~ s/"hooks":\{"prestart":\[/$&$hook,/
    or $config =~ s/"linux":\{/"hooks":{"prestart":[$hook]},$&/
    or die 'config.json has no place for a hook';

open(my $output, '>', "$file.new") or die "$file.new: $!";
print {$output} $config or die "$file.new: $!";
close $output or die "$file.new: $!";
rename "$file.new", $file or die "$file: $!";

my ($create) = grep { $command[$_] =~ /^(?:create|run)$/ } 1 .. $#command;
splice @command, $create + 1, 0, '--no-new-keyring';

# Only containers in a user namespace run programs of users.
if ($config =~ /\{"type":"user"/) {
    @ARGV = @command;
    do "$here/throttle-output.pl";
    exit 0;    # the process that passes the output on has ended
}
exec { $command[0] } @command or die "$command[0]: $!";
