# The printing house's side needs the printing house's token, however its address is spelt.
set -u
set --
for path in /print/queue //print/queue /api/../print/queue /print/queue/ /%70rint/queue '/print/queue?token=1'; do
    set -- "$@" -o /dev/null "http://web$path"
done
statuses=$(curl -s -m 6 -w '%{http_code} ' --path-as-is "$@"; curl -s -m 6 -w '%{http_code} ' --path-as-is -H 'Authorization: Bearer {{release}}' "$@")
case " $statuses" in
    *' 2'*) echo "letters are open to everybody"; exit 1 ;;
    *' 000'*) echo "the site does not answer"; exit 1 ;;
esac
status=$(head -c 200000 /dev/zero | tr '\0' x | curl -s -m 6 -o /dev/null -w '%{http_code}' --data-binary @- http://web/api/previews)
[ "$status" = 413 ] || { echo "a body of 200 kB was answered with $status"; exit 1; }
echo "letters are open to the printing house only, bodies beyond the limit are refused"
