"""Puts labelled shipments on manifests, one manifest for each van: a van leaves when it is full, or when nothing else is
coming for its depot."""

from .settings import of_program, parser


def options():
    made = parser("dispatch")
    made.add_argument("--van", type=int, help="most parcels on one manifest")
    return made.parse_args()


def work(pool, own):
    from .db import fetch_one

    with pool.transaction() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(72)")  # one planner at a time
        depot = fetch_one(cursor, """
            SELECT depot_id FROM shipments WHERE status <> 'dispatched' AND ready_at <= now()
            GROUP BY depot_id
            HAVING count(*) FILTER (WHERE status = 'labelled') >= %s
                OR count(*) FILTER (WHERE status = 'labelled') > 0 AND count(*) FILTER (WHERE status = 'ordered') = 0
            ORDER BY min(ready_at) LIMIT 1""", (own["van"],))
        if depot is None:
            return 0
        cursor.execute("""
            SELECT id FROM shipments WHERE status = 'labelled' AND depot_id = %s
            ORDER BY ready_at, id LIMIT %s FOR UPDATE""", (depot["depot_id"], own["van"]))
        parcels = [row["id"] for row in cursor.fetchall()]
        manifest = fetch_one(cursor, "INSERT INTO manifests (depot_id) VALUES (%s) RETURNING id", (depot["depot_id"],))["id"]
        cursor.execute("""
            INSERT INTO manifest_lines (manifest_id, position, shipment_id)
            SELECT %s, position, id FROM unnest(%s) WITH ORDINALITY AS parcel (id, position)""", (manifest, parcels))
        cursor.execute("UPDATE shipments SET status = 'dispatched' WHERE id = ANY(%s)", (parcels,))
    return len(parcels)


def main():
    settings, own = of_program("dispatch", options())
    from .program import run

    run("dispatch", settings, own, work)


if __name__ == "__main__":
    main()
