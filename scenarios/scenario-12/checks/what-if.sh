# Somebody orders a job.
note-write attempted jobs "what if $NONCE" 1010 ""
curl -sf -m 5 -o /dev/null http://batch:8000/jobs -H 'Content-Type: application/json' -d "{\"name\": \"what if $NONCE\", \"factor_permille\": 1010}" || exit 1
note-write acknowledged jobs "what if $NONCE" 1010 ""
