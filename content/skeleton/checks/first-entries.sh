# The entries that were there first, as guests read them.
set -eu
curl -fs --max-time 5 http://web/api/entries | jq -cS '[.[] | select(.at < 1750000000)]' | sha256sum
