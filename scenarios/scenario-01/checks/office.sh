# The office's figures are for the office only, however their address is spelt.
set -u
set --
for path in /api/reports/occupancy //api//reports/occupancy /api/x/../reports/occupancy /api/%72eports/occupancy /API/reports/occupancy /api/reports/occupancy/; do
    set -- "$@" -o /dev/null "http://web$path"
done
statuses=$(curl -s -m 6 -w '%{http_code} ' --path-as-is "$@"; curl -s -m 6 -w '%{http_code} ' --path-as-is -H 'Host: app' "$@")
case " $statuses" in
    *' 2'*) echo "the figures are open to everybody"; exit 1 ;;
    *' 000'*) echo "the site does not answer"; exit 1 ;;
esac
status=$(curl -s -m 6 -o /dev/null -w '%{http_code}' -u office:wrong-password http://web/api/reports/occupancy)
[ "$status" = 401 ] || { echo "a wrong password for the figures was answered with $status"; exit 1; }
echo "the figures are for the office only"
