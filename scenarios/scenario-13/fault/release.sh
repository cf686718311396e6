set -eu
root=/srv/nordkai/releases
old=$root/{{major}}.{{minor}}.2
new=$root/{{major}}.{{next}}.0
log=/var/log/nordkai/deploy.log
say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*" >> "$log"; }
case {{culprit}} in
    render) option=dpi what='the resolution of labels' ;;
    dispatch) option=van what='the size of vans' ;;
esac

say "release {{major}}.{{next}}.0: unpacking"
cp -a $old $new
sed -i "/add_argument(\"--$option\"/d" $new/nordkai/{{culprit}}.py
sed -i "2a {{major}}.{{next}}.0\n  {{culprit}}: $what is read from the file of settings only, like everything else in it\n  api: smaller answers" $new/CHANGES
chmod -R go-w $new
sed -i "s#$old#$new#" /etc/supervisor/conf.d/nordkai.conf
say "release {{major}}.{{next}}.0: supervisorctl update"
supervisorctl update > /dev/null
for _ in $(seq 250); do
    supervisorctl status {{culprit}} | grep -q FATAL && curl -fs -o /dev/null http://127.0.0.1:8000/health && break
    sleep 0.1
done
supervisorctl status {{culprit}} | grep -q FATAL
say "release {{major}}.{{next}}.0: api answers, done"
