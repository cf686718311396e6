# What customers see: some of the quotes of one depot fail, and the others do not.
good=0 bad=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    case $(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://web/depots/$MOVED/quote?parcel=web-0000&weight_g=900") in
        200) good=1 ;;
        503) bad=1 ;;
    esac
    [ "$good$bad" != 11 ] || exit 0
    sleep 0.5
done
echo "quotes of one depot: good $good, bad $bad"
exit 1
