# The registrar is alive, and says so in the zone.
printf 'server ns1\nupdate delete _registrar.depots.fernpost.internal TXT\nupdate add _registrar.depots.fernpost.internal 1 TXT "seq=%s"\nsend\n' "$(date +%s)" |
    nsupdate -t 4 -y "hmac-sha256:registrar:$REGISTRAR" 2>/dev/null
