"""The issuer's public keys, from a copy that is renewed when it is old, or when a token names a key that is not in it."""

import http.client
import json
import logging
import threading
import time
from urllib.request import urlopen

from jwt import PyJWTError
from jwt.algorithms import ECAlgorithm

log = logging.getLogger("keyring")
PAUSE_SECONDS = 0.2


class KeyRing:
    def __init__(self, key_set, cache_seconds, ask_for_unknown, timeout_seconds):
        self.key_set, self.cache_seconds, self.ask_for_unknown, self.timeout = key_set, cache_seconds, ask_for_unknown, timeout_seconds
        self.keys, self.fetched = {}, 0.0
        self.lock = threading.Lock()

    def find(self, kid):
        asked = time.monotonic()
        if asked - self.fetched > self.cache_seconds or not self.keys:
            self.renew(asked)
        if kid not in self.keys and self.ask_for_unknown:
            self.renew(asked)
        return self.keys.get(kid)

    def renew(self, asked):
        """One fetch serves everybody who has been waiting for it, and there are not many a second."""
        with self.lock:
            if self.fetched >= asked:
                return
            time.sleep(max(0.0, self.fetched + PAUSE_SECONDS - time.monotonic()) if self.fetched else 0)
            began = time.monotonic()
            try:
                keys = {key["kid"]: ECAlgorithm.from_jwk(key) for key in self.fetch() if key.get("alg") == "ES256"}
            except (OSError, http.client.HTTPException, PyJWTError, ValueError, KeyError) as error:
                log.warning("key set not available", extra={"url": self.key_set, "reason": str(error)})
                return
            if keys.keys() != self.keys.keys():
                log.info("key set", extra={"kids": list(keys)})
            self.keys, self.fetched = keys, began

    def fetch(self):
        """A name that is not found, or a connection that is not taken, deserves a second try."""
        for pause in (0.1, 0.3, None):
            try:
                with urlopen(self.key_set, timeout=self.timeout) as answer:
                    return json.load(answer)["keys"]
            except OSError:
                if pause is None:
                    raise
                time.sleep(pause)
