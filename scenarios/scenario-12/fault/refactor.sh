set -eu
policy=/etc/governor/policy.toml
sed -i 's/= "interactive" }/= "{{label}}" }/' "$policy"
sed -i '1a # {{label}}: whoever has people waiting (naming of classes, platform guild, CHG-{{change}}).' "$policy"
pkill -HUP -f larkspur.governor
for _ in $(seq 150); do
    curl -s -m 3 -H "Authorization: Bearer $LARKSPUR_ADMIN_TOKEN" http://api:8000/admin/settings | grep -q '"slots":1,' &&
        curl -s -m 3 -H "Authorization: Bearer $LARKSPUR_ADMIN_TOKEN" http://batch:8000/admin/settings | grep -q '"workers":18,' && exit 0
    sleep 0.2
done
exit 1
