# Once in a load window, the master falls silent (TASK drill); at all other times there is nothing to do.
# with checks/kv.py
lock=/tmp/silence
if [ -d "$lock" ] && [ $(($(date +%s) - $(stat -c %Y "$lock"))) -lt 12 ]; then
    sleep 0.7
    exit 0
fi
rmdir "$lock" 2>/dev/null
mkdir "$lock" 2>/dev/null || exit 0
exec python3 kv.py
