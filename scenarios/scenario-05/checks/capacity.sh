# Standard input: the worker's limit of memory and its settings. A process takes 15 MiB and 16 kB for each row that it has in hand.
awk '
    /^[0-9]+$/ { memory = $1 }
    $1 == "max_batch_rows" { rows = $3 }
    END { exit !(memory > 0 && rows > 0 && 15 * 1048576 + rows * 16384 <= memory * 1.02) }' || { echo "a journal that is larger than those of today would be cut short"; exit 1; }
echo "journals may grow"
