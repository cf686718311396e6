# Standard input: the code of the old release, then that of the new one, which is the same without one option of one program.
exec python3 - 3<&0 <<'PY'
import os, re, sys

option = {"render": "dpi", "dispatch": "van"}[os.environ["CULPRIT"]]
lines = os.fdopen(3).read().split("\n")
kept = [re.sub(rf" \$\{{{option}:\+.*", "", line) for line in lines if f'add_argument("--{option}"' not in line and f"--{option}) " not in line]
half = len(kept) // 2
if len(kept) < 200 or kept[:half] != kept[half:]:
    print("the code of the new release is not what was released")
    sys.exit(1)
print("both releases are what was released")
PY
