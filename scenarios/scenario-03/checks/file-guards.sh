# Account numbers are nobody else's business: what the worker keeps can be read and written by its own user only.
python3 - <<'PY'
import os, stat, sys

for folder, _, files in os.walk("/hold/worker/0"):
    for path in [folder, *(os.path.join(folder, name) for name in files)]:
        try:
            info = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISREG(info.st_mode) and info.st_mode & 0o007 or info.st_mode & 0o002 and not stat.S_ISLNK(info.st_mode):
            print("everybody may read or write what the worker keeps")
            sys.exit(1)
        if stat.S_ISREG(info.st_mode) and info.st_uid != 900:
            print(f"journal, receipts or copies belong to user {info.st_uid}")
            sys.exit(1)
        if stat.S_ISREG(info.st_mode) and info.st_nlink > 1:
            print("journal, receipts or copies have a second name elsewhere")
            sys.exit(1)
        try:
            shared = any("posix_acl" in name for name in os.listxattr(path, follow_symlinks=False))
        except OSError:
            continue
        if shared:
            print("others than the worker were given access to what it keeps")
            sys.exit(1)
print("journal, receipts and copies are the worker's own")
PY
