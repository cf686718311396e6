# Writes down, once, what each segment of the log is like that is complete, in the archive or still on the database's volume. The one that
# was being written is not: the server goes on in it.
exec python3 - <<'PY'
import glob, hashlib, os, re, struct

NOTED, SEGMENT = "/tmp/segments.log", 1 << 20


def content_of(path):
    """Nothing where it is none that was begun: the server keeps old ones under the names of those to come."""
    name = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            content = file.read(SEGMENT + 1)
    except PermissionError:
        return None
    address = int(name[8:16], 16) << 32 | int(name[16:], 16) * SEGMENT
    return content if len(content) == SEGMENT and struct.unpack_from("<Q", content, 8)[0] == address else None


def segments(pattern):
    paths = {path for path in glob.glob(pattern, recursive=True) if re.fullmatch("[0-9A-F]{24}", os.path.basename(path))}
    return {os.path.basename(path): content for path in sorted(paths) if (content := content_of(path))}


if not os.path.exists(NOTED):
    written = segments("/hold/db/0/**")
    written.pop(max(written, default=None), None)
    found = written | segments("/hold/archive/0/*")
    with open(NOTED, "w") as log:
        log.writelines(f"{name} {hashlib.sha256(content).hexdigest()}\n" for name, content in found.items())
print("the segments are written down")
PY
