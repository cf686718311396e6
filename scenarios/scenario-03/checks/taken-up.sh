# A merchant whose call was interrupted is called again.
[ -e /run/call-interrupted ] || { echo "no call was under way"; exit 0; }
for _ in $(seq 50); do
    [ -e /run/called-again ] && { echo "what was interrupted was taken up again"; exit 0; }
    sleep 0.1
done
echo "a merchant's call that was interrupted was never made again"
exit 1
