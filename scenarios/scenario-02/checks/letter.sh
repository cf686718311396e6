# A customer looks at a preview and orders the letter, and the printing house prints it.
ask() { curl -sf -m 4 -H 'Content-Type: application/json' "$@"; }
preview=$(ask http://web/api/previews -d '{"sender": "Web Customer", "recipient": "Amt Norden", "address": "Am Markt 3, 26506 Norden", "text": "A line.", "ttl_seconds": 5}' | jq -r .preview)
letter=$(ask http://web/api/letters -d "{\"preview\": \"$preview\", \"client_reference\": \"web-$NONCE\"}" | jq -r .letter)
ask -o /dev/null "http://web/print/letters/$letter/printed" -H "Authorization: Bearer $PRINT_TOKEN" -d '{}'
