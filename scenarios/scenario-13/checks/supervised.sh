# What supervisor says of its programs, from outside; and what it does when two of them die. Standard input: its configuration.
exec 3<&0
python3 - <<'PY'
import configparser, os, re, socket, sys, time, urllib.request, xmlrpc.client

socket.setdefaulttimeout(6)
PROGRAMS = ("api", "render", "dispatch")
PORTS = {"render": 9101, "dispatch": 9102}
url = f"http://control:{os.environ['CONTROL_PASSWORD']}@app:9001/RPC2"
deadline = time.monotonic() + 17


def fail(text):
    print(text)
    sys.exit(1)


def call(method, *values):
    with xmlrpc.client.ServerProxy(url) as server:
        return getattr(server.supervisor, method)(*values)


def processes(program):
    return [entry for entry in call("getAllProcessInfo") if program in (entry["name"], entry["group"])]


def wait_for_all(earlier=()):
    """Until every program runs, under another number than before; a supervisor that has just been started needs a moment."""
    while True:
        try:
            found = {program: processes(program) for program in PROGRAMS}
            idle = [program for program, entries in found.items()
                    if not entries or any(e["statename"] != "RUNNING" or e["pid"] in earlier for e in entries)]
            waiting = idle and f"{len(idle)} of {len(PROGRAMS)} programs do not run under supervisor"
            final = any(entry["statename"] in ("FATAL", "STOPPED") for entries in found.values() for entry in entries)
        except (OSError, xmlrpc.client.Error, KeyError) as error:
            waiting, final = f"supervisor cannot be asked ({type(error).__name__})", isinstance(error, xmlrpc.client.ProtocolError)
        if not waiting:
            return found
        if final or time.monotonic() > deadline:
            fail(waiting + (" after they were killed" if earlier else ""))
        time.sleep(0.4)


def wait_for_new(program, moment):
    """Until the program itself says that it was started after this moment."""
    while True:
        try:
            with urllib.request.urlopen(f"http://app:{PORTS[program]}/metrics") as answer:
                started = re.search(rb"^process_start_time_seconds ([0-9.]+)$", answer.read(20_000), re.MULTILINE)
        except OSError:
            started = None
        if started and float(started[1]) >= moment:
            return
        if time.monotonic() > deadline:
            fail(f"{program} died, and something else answers for it" if started else f"{program} has no figures")
        time.sleep(0.4)


def check_settings():
    """Whoever dies is to be started again by supervisor, and by nobody else."""
    settings = configparser.RawConfigParser(strict=False, inline_comment_prefixes=(" ;", "\t;"), allow_no_value=True)
    settings.read_string(os.fdopen(3, errors="replace").read())
    for program in PROGRAMS:
        section = f"program:{program}"
        if not settings.has_section(section):
            fail(f"{program} is not in supervisor's configuration")
        if settings.get(section, "autorestart", fallback="unexpected").strip().lower() not in ("true", "on", "yes", "1", "unexpected"):
            fail(f"{program} is not to be started again when it dies")


def main():
    check_settings()
    before, moment = wait_for_all(), time.time()
    doomed = [entry for program in ("render", "dispatch") for entry in before[program]]
    for entry in doomed:
        try:
            call("signalProcess", f"{entry['group']}:{entry['name']}", "KILL")
        except xmlrpc.client.Fault as error:
            if error.faultCode != 70:  # it is not running at this moment
                fail(f"supervisor does not do as it is told ({error.faultString})")
    wait_for_all([entry["pid"] for entry in doomed])
    for program in PORTS:
        wait_for_new(program, moment)
    print("all programs run under supervisor, and come back when they die")


try:
    main()
except (OSError, xmlrpc.client.Error, KeyError, TypeError, AttributeError, configparser.Error) as error:
    fail(f"supervisor cannot be asked ({type(error).__name__})")
PY
