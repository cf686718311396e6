"""Files in the spool. A file appears whole, under its final name, or not at all."""

import os
import secrets


class SpoolUnavailable(Exception):
    pass


class Folder:
    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def file(self, name):
        return os.path.join(self.path, f"{name}.json")

    def write(self, name, content, modified=None):
        """Bytes under a name; "modified" is the time, in seconds, that the file shall carry."""
        unfinished = os.path.join(self.path, f".{name}.{secrets.token_hex(4)}")
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if modified is not None:
                os.utime(unfinished, (modified, modified))
            os.rename(unfinished, self.file(name))
        except OSError as error:
            try:
                os.unlink(unfinished)
            except OSError:
                pass
            raise SpoolUnavailable(str(error)) from error

    def read(self, name):
        """None when there is no such file."""
        try:
            with open(self.file(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def remove(self, name):
        try:
            os.unlink(self.file(name))
        except FileNotFoundError:
            pass
