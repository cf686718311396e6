"""Files of keys and passwords that only some may read, and private keys in files. Runs with the root directory of the service."""

import base64
import hashlib
import os
import re

from hostile import Unobservable, open_regular

MOST_KEY = 64 * 1024
MOST_FILE = 16 * 1024 * 1024
# Shorter ones could stand anywhere by chance; longer ones are compared by digest only.
LEAST_CONTENT, MOST_CONTENT = 16, 4096
LEAST_PASSWORD = 8
MOST_PRIVATE_KEYS = 300
CHUNK = 1024 * 1024
KEY_NAME = re.compile(rb"passw|pgpass|netrc|secret|cookie|credential|private|keytab|\.key$|\.pem$|/users\.acl$", re.IGNORECASE)
KEY_CONTENT = re.compile(rb"PRIVATE KEY-----|\$(?:apr1|2[aby]|5|6|7)\$|SCRAM-SHA-256\$|password_hash|^[ \t]*secret \"", re.MULTILINE)
HEADERS = rb"(?:[A-Za-z][A-Za-z-]{0,60}: [^\n]{0,200}\n){0,8}"
PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\r?\n" + HEADERS + rb"([A-Za-z0-9+/=\r\n]{32,16384})-----END")


def read_up_to(file, most):
    parts, at = [], 0
    while at < most and (part := os.pread(file, min(CHUNK, most - at), at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def content_of(told):
    """What of a small text is looked for inside larger files; None where it is too short, too long or no text."""
    stripped = told.strip()
    return stripped if LEAST_CONTENT <= len(stripped) <= MOST_CONTENT and b"\0" not in stripped else None


def key_of(path, file, info):
    """What is known of a file that only some may read, if it looks like one of keys or passwords; else None."""
    if not 0 < info.st_size <= MOST_KEY:
        return None
    told = read_up_to(file, MOST_KEY)
    if not KEY_NAME.search(path) and not KEY_CONTENT.search(told):
        return None
    content = content_of(told)
    return {
        "size": len(told),
        "digest": hashlib.sha256(told).hexdigest(),
        "content": None if content is None else base64.b64encode(content).decode(),
    }


def passwords_in(name, told):
    """The passwords of a file of libpq, host:port:database:user:password: one that is changed is as secret as the one before."""
    if "pgpass" not in name:
        return []
    fields = (line.split(b":") for line in told.split(b"\n") if not line.startswith(b"#"))
    return [line[4] for line in fields if len(line) == 5 and len(line[4]) >= LEAST_PASSWORD]


def private_keys_in(told):
    """A line of each private key, one that differs from key to key: the first says of what kind it is."""
    plain = told.replace(b"\0", b"")  # what keeps texts in UTF-16 puts a zero beside each letter
    bodies = (match[1].split() for text in dict.fromkeys((told, plain)) for match in PRIVATE_KEY.finditer(text))
    return [body[1] if len(body) > 1 and len(body[1]) >= LEAST_CONTENT else body[0] for body in bodies if body]


def private_keys(paths, named):
    """Of files that are told by path or pattern: what must not be anywhere else."""
    found = {}
    for path in (each for pattern in paths for each in named(pattern)):
        try:
            file, _ = open_regular(path)
        except (ValueError, OSError):
            continue  # what it held while the system was healthy is looked for all the same
        try:
            told = read_up_to(file, MOST_FILE)
        finally:
            os.close(file)
        keys = private_keys_in(told)
        content = content_of(told)
        found.update(dict.fromkeys(keys or ([] if content is None else [content])))
    if len(found) > MOST_PRIVATE_KEYS:
        raise Unobservable("there are too many private keys")
    return {"keys": [base64.b64encode(key).decode() for key in found]}
