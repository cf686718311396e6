# Standard input: what the kernel counts of the worker's group of processes.
kills=$(awk '$1 == "oom_kill" { print $2; exit }')
[ "$kills" = 0 ] || { echo "the kernel has ended ${kills:-an unknown number of} processes of the worker since its last start"; exit 1; }
echo "no process of the worker was ended by the kernel"
