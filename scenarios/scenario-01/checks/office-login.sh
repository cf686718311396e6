# Standard input: the configuration of nginx. The login for the office's figures has no exception and no second list of users.
set -u
text=$(sed 's/#.*//' | tr '\n' ' ' | tr ';{}' '\n\n\n')
has() { printf '%s\n' "$text" | grep -qE "^[[:space:]]*$1"; }

printf '%s\n' "$text" | grep -E '^[[:space:]]*include' |
    grep -qvE "include[[:space:]]+[\"']?(/etc/nginx/)?((modules-enabled|conf\.d|sites-enabled|snippets)/)?[^/]+$" &&
    { echo "web takes configuration from an unusual place"; exit 1; }
has "satisfy[[:space:]]+[\"']?any" && { echo "the figures are open to some without a login"; exit 1; }
has "auth_basic[[:space:]]+([\"']?off|.*\\$)" && { echo "the figures are open to some without a login"; exit 1; }
printf '%s\n' "$text" | grep -E '^[[:space:]]*auth_basic_user_file' |
    grep -qvE "auth_basic_user_file[[:space:]]+[\"']?(/etc/nginx/)?harbourline.htpasswd[\"']?[[:space:]]*$" &&
    { echo "the office's login has another list of users"; exit 1; }
echo "the office's login has no exception"
