set -eu
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
{
    echo "$(at '-6 days') CHG-{{change_before}} db: 22 connections for the services together, as planned"
    echo "$(at '-8 hours') CHG-{{change}} governor: classes are called as the platform guild calls them; policy read again, no errors"
    echo "$(at '-7 hours') CHG-{{change_after}} api: CPUs 0.8 -> 0.02 for the time of the load test on the host; to be taken back afterwards"
} >> /srv/runbook/changes.log
