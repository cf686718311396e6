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
        if stat.S_ISREG(info.st_mode) and info.st_nlink > 1:
            print("what is in the spool has a second name elsewhere")
            sys.exit(1)
        try:
            shared = any("posix_acl" in name for name in os.listxattr(path, follow_symlinks=False))
        except OSError:
            continue
        if shared:
            print("others than its service were given access to what is in the spool")
            sys.exit(1)
print("the spool is its service's own")
PY
