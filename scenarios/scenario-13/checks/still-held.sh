# Every parcel that was ordered before is there as it was ordered, has no label before its day, and one label and one van at most; and no
# van has left with more parcels than fit.
python3 - <<'PY'
import os, subprocess, sys, time

held = [entry.split(":") for entry in os.environ["HELD"].split()]
query = """SELECT s.number, s.client_reference, d.code, s.grams, replace(s.recipient, ' ', '_'), floor(extract(epoch FROM s.ready_at)), s.status,
    l.shipment_id IS NOT NULL, m.manifest_id IS NOT NULL FROM public.shipments s JOIN public.depots d ON d.id = s.depot_id
    LEFT JOIN public.labels l ON l.shipment_id = s.id LEFT JOIN public.manifest_lines m ON m.shipment_id = s.id WHERE s.client_reference LIKE 'shop-%'"""
loads = "SELECT max(parcels) FROM (SELECT count(*) AS parcels FROM public.manifest_lines GROUP BY manifest_id) AS vans"
command = ["psql", "-h", "db", "-U", "oncall", "-d", "nordkai", "-X", "-q", "-A", "-t", "-F", ":", "-c", query, "-c", loads]
answer = subprocess.run(command, capture_output=True, text=True)
if answer.returncode != 0 or len(held) < 20:
    print("the parcels cannot be read")
    sys.exit(1)
*found, (most,) = [line.split(":") for line in answer.stdout.splitlines()]
if int(most) > int(os.environ["VAN"].split()[0]):
    print(f"a van has left with {most} parcels")
    sys.exit(1)
wrong = 0
for entry in held:
    same = [row for row in found if row[:5] == entry[:5] and abs(int(row[5]) - int(entry[5])) <= 1]
    stages = {("ordered", "f", "f"), ("labelled", "t", "f"), ("dispatched", "t", "t")} if int(entry[5]) < time.time() + 30 else {("ordered", "f", "f")}
    wrong += len(same) != 1 or tuple(same[0][6:]) not in stages
if wrong:
    print(f"{wrong} of {len(held)} parcels that were ordered before are lost, altered, labelled twice or too early")
    sys.exit(1)
print("every parcel that was ordered before is there")
PY
