"""Redis behind its sentinels. Whoever is master is asked for, and asked for again when it is gone; a
write counts when a replica has it."""

import logging
import time

from redis import exceptions
from redis.sentinel import MasterNotFoundError, Sentinel

log = logging.getLogger("tidemarket.store")
GONE = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError, exceptions.BusyLoadingError, MasterNotFoundError)


class StoreUnavailable(Exception):
    pass


class Store:
    def __init__(self, group, sentinels, other_sentinels, user, password, sentinel_password, socket_timeout_seconds, patience_seconds, replicas_to_confirm):
        timeouts = {"socket_timeout": socket_timeout_seconds, "socket_connect_timeout": socket_timeout_seconds}
        addresses = [(host, int(port)) for host, port in (entry.split(":") for entry in sentinels)]
        self.sentinel = Sentinel(addresses, min_other_sentinels=other_sentinels, sentinel_kwargs={"password": sentinel_password, **timeouts})
        self.master = self.sentinel.master_for(group, username=user, password=password, decode_responses=True, **timeouts)
        self.group, self.patience, self.confirm = group, patience_seconds, replicas_to_confirm
        self.confirm_ms = int(socket_timeout_seconds * 900)

    def address(self):
        """Host and port of the master, as the sentinels have it."""
        try:
            return self.sentinel.discover_master(self.group)
        except GONE as error:
            raise StoreUnavailable(str(error)) from error

    def read(self, work):
        return self.attempt(lambda: work(self.master))

    def write(self, work):
        """Work that may be done more than once."""
        def confirmed():
            with self.master.client() as connection:
                result = work(connection)
                if connection.wait(self.confirm, self.confirm_ms) < self.confirm:
                    raise exceptions.ConnectionError("no replica has confirmed the write")
                return result
        return self.attempt(confirmed)

    def attempt(self, work):
        deadline, failures = time.monotonic() + self.patience, 0
        while True:
            try:
                return work()
            except (*GONE, exceptions.ResponseError) as error:
                if not isinstance(error, GONE) and "NOREPLICAS" not in str(error) and not isinstance(error, exceptions.ExecAbortError):
                    raise
                failures += 1
                if failures == 1:
                    log.warning("store does not answer, trying again", extra={"reason": str(error) or type(error).__name__})
                if time.monotonic() > deadline:
                    raise StoreUnavailable(str(error) or type(error).__name__) from error
                time.sleep(0.2)
