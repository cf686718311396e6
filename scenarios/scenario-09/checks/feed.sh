# The marketplace hands in a list that its new software got wrong.
# with checks/tidewell.py
exec python3 - <<'PY'
import base64, os

from tidewell import Marketplace, pill

# Written down first: the list is handed in once, however often this runs.
if not os.path.exists("/tmp/feed.log"):
    names = [f"MP-{os.environ['PILL']}{number}" for number in range(2)]
    letters = [pill(os.environ["KIND"], name) for name in names]
    with open("/tmp/feed.log", "w") as log:
        log.writelines(base64.b64encode(letter).decode() + "\n" for letter in letters)
    feed = Marketplace()
    for name, letter in zip(names, letters):
        feed.publish(letter, name)
print("the marketplace handed in its list")
PY
