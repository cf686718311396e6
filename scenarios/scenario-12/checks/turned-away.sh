# Of customers who come at once, some are turned away.
statuses=$(for n in 1 2 3 4 5 6; do
    note-write attempted quotes "web-$NONCE-$n" "D0$n" "D2$n" 900 ""
    set -- "$@" -s -m 12 -o /dev/null -w '%{http_code} ' -H 'Content-Type: application/json' http://api:8000/api/quotes \
        -d "{\"origin\": \"D0$n\", \"destination\": \"D2$n\", \"weight_kg\": 900, \"client_reference\": \"web-$NONCE-$n\"}" --next
    [ $n = 6 ] && curl -Z --parallel-immediate "$@" -s -m 12 -o /dev/null -w '%{http_code} ' http://api:8000/health
done)
case $statuses in *503*) echo "customers are turned away" ;; *) echo "customers were answered with $statuses"; exit 1 ;; esac
