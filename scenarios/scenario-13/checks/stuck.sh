# Parcels are taken and do not leave, and supervisor has given one program up.
python3 - <<'PY'
import http.client, json, os, socket, sys, time, xmlrpc.client

sys.path.append("/opt/probe")
from records import note

socket.setdefaulttimeout(6)


def ask(method, path, data=None):
    site = http.client.HTTPConnection("web")
    site.request(method, path, None if data is None else json.dumps(data), {"Content-Type": "application/json"})
    answer = site.getresponse()
    return json.loads(answer.read())


order = {"client_reference": f"edi-{time.time_ns():x}", "depot": "CUX", "recipient": "Frieda Tammen", "address": "Alte Liebe 4, 27472 Cuxhaven", "grams": 950}
reference = order["client_reference"]
note("attempted", {"writes": {"shipments": list(order.values()), "labels": [reference, os.environ["DPI"].split()[0]], "loaded": [reference, "once"]}})
number = ask("POST", "/api/shipments", order)["shipment"]
server = xmlrpc.client.ServerProxy(f"http://control:{os.environ['CONTROL_PASSWORD']}@app:9001/RPC2")
state = server.supervisor.getProcessInfo(os.environ["PROGRAM"])["statename"]
time.sleep(1)
status = ask("GET", f"/api/shipments/{number}")["status"]
print(f"{os.environ['PROGRAM']} is {state}, a parcel is {status}")
sys.exit(state != "FATAL" or status == "dispatched")
PY
