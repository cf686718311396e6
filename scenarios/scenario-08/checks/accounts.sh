# Standard input: everything in the broker's configuration. Nobody has an account who had none.
set -u
text=$(cat)
strange=$(printf '%s\n' "$text" | grep -E '^[^#:[:space:]]+:' | grep -F ':$' | cut -d : -f 1 | sort -u | grep -vxE "$KNOWN")
[ -z "$strange" ] || { echo "somebody has an account who had none"; exit 1; }
printf '%s\n' "$text" | grep -qiE '^[[:space:]]*allow_anonymous[[:space:]]+true' && { echo "the broker is set to let strangers in"; exit 1; }
printf '%s\n' "$text" | grep -E '^[[:space:]]*(password_file|acl_file|include_dir)[[:space:]]' |
    grep -qvE '[[:space:]]/etc/mosquitto(/|[[:space:]]*$)' && { echo "the broker takes its lists from an unusual place"; exit 1; }
echo "nobody has a new account"
