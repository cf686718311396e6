"""Inspects a service from outside: files, processes and sockets as the kernel shows them. No program of the service takes
part, and none can see this one. Arguments: the pid of the service's main process, and the id of its container; without
arguments it waits for them as one line, before the first order.
One JSON object a line: {"id", "inspection", "within_ms"?, ...} -> {"id", ...}, or {"id", "failed", "timed_out"?, "killed"?} for what cannot be seen.

inspection: file       {"path"} -> {"entries": [{"path", "type", "mode", "uid", "gid", "size", "acl", "text"?}]}; the path may hold * and ?
            processes  -> {"processes": [{"pid", "parent", "uid", "privileged", "executable", "sha256", "preload", "maps": [{"path", "sha256", "ctime"}]}]};
                       mapped files that cannot have changed after {"since"} are not read: their sha256 is null, and those
                       whose change would leave no trace have no ctime
            listeners  -> {"listeners": [{"port", "address", "pid", "uid", "privileged", "executable", "sha256"}]}
            peers      -> {"peers": [{"address", "port"}]}: outgoing connections of the service, sampled for a moment
            preload    -> {"text"}: /etc/ld.so.preload
            powers     {"paths"} -> {"paths"}: those that are setuid or setgid, or have file capabilities
            trees      {"paths"} -> {"entries": {path: digest}}: every file and folder below, with a digest of content, mode, owner and access list
            logs       {"folders"} -> {"logs": {path: {"bytes", "digest", "count", "lines", "writers"}}}: what the logs below hold, line by line,
                       and which executables have each open for writing
            kept_logs  {"logs"} -> {"missing": {path: count}}: how many lines of each are not there any more, rotated ones included
            log_writers {"paths"} -> {"logs": {path: {"kind", "writers"}}}: kind is file, hole, other or absent; whoever writes a rotated one counts
            secrets    {"paths", "values", "patterns"?, "keys"?, "private"?, "closed"?, "collect"?} -> {"files": [{"path", "readable", "values", "copies", "dump", "private"}],
                       "arguments": [{"executable", "values"}], "opened", "keys"}: see open_secrets.py; values are told by their place in the order
            private_keys {"paths"} -> {"keys"}: private keys in these files, in base64

Each inspection runs in a process of its own, bounded in time, memory and output; this process reads nothing of the sandbox.
"""

import hashlib
import os
import sys

from hostile import Gone
from main_process import open_main
from request_server import serve
from run_inspection import run_inspection


def read_line():
    """Reads nothing beyond it: what follows are requests."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(0, 1)
        if not part:
            sys.exit()  # the input was closed: no service was assigned
        line += part
    return line.decode()


def main():
    hashlib.sha256(b"").hexdigest()  # loads the library now: later, the root directory is that of the sandbox
    try:
        service = open_main(*(sys.argv[1:] or read_line().split()))
    except Gone:
        sys.exit("this pid is not a process of the service")
    if os.readlink("ns/pid", dir_fd=service) == os.readlink("/proc/self/ns/pid"):
        sys.exit("this pid is not a process of a container")
    serve(lambda request: run_inspection(service, request))


main()
