"""The bank's journal: volumes of numbered lines without gaps. Whoever adds a line holds the lock, from reading the last
number until the entry is committed in the database as well."""

import fcntl
import logging
import os
import time
from contextlib import contextmanager

PATIENCE_SECONDS = 2
log = logging.getLogger("journal")


class Journal:
    def __init__(self, period, folder, entries_per_volume, lock_file, owner):
        self.period, self.folder, self.per_volume = period, folder, entries_per_volume
        self.lock_file, self.owner = lock_file, owner

    @contextmanager
    def locked(self):
        """Closing the file gives the lock back."""
        with open(os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o640), "r+") as file:
            self.wait_for(file)
            file.seek(0)
            file.truncate()
            file.write(f"{self.owner} {os.getpid()}\n")
            file.flush()
            yield

    def wait_for(self, file):
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.01)
        log.warning("the lock of the journal is taken, waiting", extra={
            "waiting": self.owner, "lock": self.lock_file, "last_taken_by": file.read(80).strip()})
        fcntl.flock(file, fcntl.LOCK_EX)
        log.warning("got the lock of the journal", extra={"waiting": self.owner, "seconds": round(time.monotonic() - until + PATIENCE_SECONDS)})

    def volume(self, number):
        return os.path.join(self.folder, f"{self.period}-{1 + (number - 1) // self.per_volume:04d}.csv")

    def last(self):
        """The volume that is being written, its content, and the number of its last line."""
        volumes = sorted(name for name in os.listdir(self.folder) if name.startswith(f"{self.period}-") and name.endswith(".csv"))
        for name in reversed(volumes):
            with open(os.path.join(self.folder, name)) as file:
                lines = file.readlines()
            if lines:
                return file.name, lines, int(lines[-1].split(";")[1])
        return None, [], 0

    def drop_unfinished(self, is_booked):
        """A line whose entry was never committed belongs to a program that was killed in between."""
        path, lines, number = self.last()
        if number and not is_booked(number):
            log.warning("dropped an unfinished line", extra={"entry_no": number})
            with open(path, "r+") as file:
                file.truncate(sum(len(line.encode()) for line in lines[:-1]))
            number -= 1
        return number

    def append(self, number, payout):
        line = f"{self.period};{number};{payout['reference']};{payout['merchant']};{payout['iban']};{payout['amount_cents']}\n"
        with open(os.open(self.volume(number), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640), "w") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
