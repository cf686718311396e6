set -eu
# Limits are lowered in a quiet moment.
for _ in $(seq 80); do
    [ "$(psql -X -A -t -c "SELECT count(*) FROM exports WHERE status IN ('queued', 'running')")" = 0 ] && break
    sleep 0.25
done
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
{
    echo "$(at '-8 days') CHG-{{change_before}} db: minor version, restarted at 02:10"
    echo "$(at '-3 days') CHG-{{change_middle}} customer {{big}}: journals of three subsidiaries taken over"
    echo "$(at '-9 hours') CHG-{{change}} cost round: limits follow the week's average use plus a quarter (docker stats, 168 samples)"
    echo "$(at '-9 hours') CHG-{{change}} api 128 -> 112 MiB, web 64 -> 48 MiB, worker 128 -> 32 MiB; all containers healthy after the change"
} >> /srv/runbook/changes.log
