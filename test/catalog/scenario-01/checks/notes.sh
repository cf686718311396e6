# The notes, as a reader of the site gets them.
set -eu
curl -fs --max-time 5 http://web/notes.txt | sha256sum | cut -c 1-16
