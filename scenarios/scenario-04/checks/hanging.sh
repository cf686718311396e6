# Some customers wait in vain, others are served at once.
exec python3 - <<'PY'
import concurrent.futures, sys, urllib.request


def ask(number):
    try:
        with urllib.request.urlopen(f"http://lb/api/items/V-900?n={number}", timeout=2.5) as answer:
            return answer.status
    except OSError:
        return 0


with concurrent.futures.ThreadPoolExecutor(9) as pool:
    seen = list(pool.map(ask, range(9)))
print(f"of {len(seen)} customers {seen.count(200)} were served")
sys.exit(0 if 0 < seen.count(200) < len(seen) else 1)
PY
