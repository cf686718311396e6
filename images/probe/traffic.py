"""Background customers: sends the given requests at the given rates until the end of the sandbox.

Argument: [{"rate": 2.0, "url": ..., "method"?, "headers"?, "body"?}, ...]; "{{nonce}}" is fresh in each request.
"""

import json
import random
import secrets
import sys
import threading
import time

import customer


def visit(source):
    while True:
        time.sleep(random.expovariate(source["rate"]))
        nonce = secrets.token_hex(8)
        order = {key: value.replace("{{nonce}}", nonce) if isinstance(value, str) else value for key, value in source.items()}
        customer.request(order)


for source in json.loads(sys.argv[1]):
    threading.Thread(target=visit, args=(source,)).start()
