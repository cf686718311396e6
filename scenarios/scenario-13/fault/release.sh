set -eu
root=/srv/nordkai/releases
old=$root/5.12.2
new=$root/5.{{next}}.0
log=/var/log/nordkai/deploy.log
say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*" >> "$log"; }
case {{culprit}} in
    render) option=dpi what='the resolution of labels' ;;
    dispatch) option=van what='the size of vans' ;;
esac

say "release 5.{{next}}.0: unpacking"
cp -a $old $new
sed -i "/add_argument(\"--$option\"/d" $new/nordkai/{{culprit}}.py
sed -i -e "/--$option) /d" -e "s/ \\\${$option:+.*//" $new/bin/{{culprit}}
sed -i "2a 5.{{next}}.0\n  {{culprit}}: $what is read from the file of settings only, like everything else in it\n  api: smaller answers" $new/CHANGES
chmod -R go-w $new
sed -i "s#$old#$new#g" /etc/supervisor/conf.d/nordkai.conf
say "release 5.{{next}}.0: reload of supervisor"
kill -HUP "$(cat /run/supervisord.pid)"
gave_up() { grep -q 'gave up: {{culprit}} entered FATAL' /var/log/supervisor/supervisord.log; }
for _ in $(seq 200); do
    gave_up && break
    sleep 0.1
done
gave_up || { tail -5 /var/log/supervisor/supervisord.log >&2; exit 1; }
curl -fs -o /dev/null --retry 5 --retry-delay 1 --retry-connrefused http://127.0.0.1:8000/health
say "release 5.{{next}}.0: api answers, done"
