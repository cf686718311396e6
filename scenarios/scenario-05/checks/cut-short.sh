# The export of the largest journal ends before its end.
set -u
ask() { curl -s -m 8 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
reference=$(ask http://web/api/exports -d "{\"client_reference\": \"monthly-$NONCE\"}" | jq -r '.reference // empty')
for _ in $(seq 60); do
    status=$(ask "http://web/api/exports/$reference" | jq -r '.status // empty')
    case $status in queued | running) sleep 0.25 ;; *) break ;; esac
done
[ "$status" = incomplete ] || { echo "an export ended $status"; exit 1; }
echo "an export is cut short"
