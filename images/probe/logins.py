"""What is the same for the logins of every data store: passwords that are tried first, and work in a few threads at once."""

import secrets
import threading

OBVIOUS = ("", "password", "secret", "changeme", "admin", "guest", "123456")
MOST_AT_ONCE = 4


def guesses(name, refused, right):
    """Passwords that must not let this login in. One is new each time: whoever is let in by it is let in by any."""
    return [guess for guess in dict.fromkeys((secrets.token_hex(8), name, *OBVIOUS, *refused)) if guess != right]


def in_threads(work, tasks, failures):
    """The results, in the order of the tasks; the error of those that failed in one of these ways."""
    results = [None] * len(tasks)
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
            except failures as error:
                results[index] = error

    threads = [threading.Thread(target=worker) for _ in range(min(MOST_AT_ONCE, len(tasks)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
