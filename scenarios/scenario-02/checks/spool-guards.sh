# Letters are nobody else's business: what is in the spool can be read by its service only, and written by it only.
python3 - <<'PY'
import os, stat, sys

SPOOL = "/hold/app/0"
for folder, folders, files in os.walk(SPOOL):
    for path in [folder, *(os.path.join(folder, name) for name in files)]:
        try:
            info = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISREG(info.st_mode) and info.st_mode & 0o004:
            print("everybody may read what is in the spool")
            sys.exit(1)
        if not stat.S_ISLNK(info.st_mode) and info.st_mode & 0o002:
            print("everybody may write in the spool")
            sys.exit(1)
print("the spool is its service's own")
PY
