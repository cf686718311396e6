# What customers see: quotes of one depot fail.
for _ in $(seq 40); do
    case $(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://web/depots/$MOVED/quote?parcel=web-0000&weight_g=900") in
        503) echo "a quote failed"; exit 0 ;;
    esac
    sleep 0.25
done
echo "no quote failed"
exit 1
