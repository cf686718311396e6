"""What the programs that describe data stores share: work in a few threads, digests, and the passwords that are tried first."""

import hashlib
import secrets
import sys
import threading

# What a program exits with when a store did not answer in time, which says nothing about the store on a busy host.
NO_ANSWER = 75
OBVIOUS = ("password", "secret", "changeme", "admin", "1234", "123456")
MOST_AT_ONCE = 4


class NoAnswer(Exception):
    """A server does not answer, or not in its protocol, or without end."""


class Late(NoAnswer, TimeoutError):
    """It was not reached, or could not do what it was asked, in its time."""


def joined(silent):
    """One error for several. A server that answers wrongly is wrong on a busy host, too."""
    kind = Late if all(isinstance(error, Late) for error in silent) else NoAnswer
    return kind("; ".join(map(str, silent)))


def leave(said, error):
    """Ends a program that cannot describe its store, because of this error."""
    print(said, file=sys.stderr)
    sys.exit(NO_ANSWER if isinstance(error, TimeoutError) else 1)


def in_threads(work, tasks, errors):
    """The results, in the order of the tasks; the error, one of these types, of those that failed. Any other error is raised."""
    results = [None] * len(tasks)
    unexpected = []
    left = iter(range(len(tasks)))
    lock = threading.Lock()

    def worker():
        while True:
            with lock:
                index = next(left, None)
            if index is None:
                return
            try:
                results[index] = work(tasks[index])
            except errors as error:
                results[index] = error
            except Exception as error:
                unexpected.append(error)
                return

    threads = [threading.Thread(target=worker) for _ in range(min(MOST_AT_ONCE, len(tasks)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if unexpected:
        raise unexpected[0]
    return results


def guesses_for(user, product, refused):
    """Passwords that must not let anybody in; the first is wrong for sure, so whoever takes it takes any."""
    return (secrets.token_hex(8), user, product, *OBVIOUS, *refused)


def digest(data):
    return hashlib.sha256(data).hexdigest()[:10]


def digests(found):
    """{name: digest} of (name, bytes) pairs; what has one name is put together."""
    gathered = {}
    for name, data in found:
        gathered.setdefault(name, []).append(data)
    return {name: digest(b"\0".join(b"%d:%s" % (len(part), part) for part in sorted(parts))) for name, parts in gathered.items()}
