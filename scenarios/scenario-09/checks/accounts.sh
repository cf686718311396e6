# Who has an account at the broker, and what each may do there.
definitions=$(curl -s -m 8 --retry 5 --retry-delay 1 --retry-all-errors -u "$ONCALL" http://mq:15672/api/definitions) || { echo "the broker's accounts cannot be read"; exit 1; }
printf '%s' "$definitions" | jq -c '[(.users | map([.name, .tags]) | sort), (.permissions | map([.user, .vhost, .configure, .write, .read]) | sort), (.topic_permissions | sort), (.vhosts | map(.name) | sort)]' |
    { read -r rights && echo "accounts and rights at the broker: $(printf '%s' "$rights" | sha256sum | cut -c 1-32)"; }
