"""Makes the label of every shipment whose time has come, in ZPL, for the printers in the hall."""

from .settings import of_program, parser

MILLIMETRES = (100, 150)


def options():
    made = parser("render")
    made.add_argument("--dpi", type=int, choices=(203, 300, 600), help="resolution of the label printers")
    return made.parse_args()


def clean(text):
    """What ZPL would take for a command is left out."""
    return text.replace("^", " ").replace("~", " ").replace("\n", ", ")


def label(shipment, dpi):
    width, height = (round(side * dpi / 25.4) for side in MILLIMETRES)
    at = lambda x, y: f"^FO{round(x * dpi / 25.4)},{round(y * dpi / 25.4)}"
    size = lambda millimetres: f"^A0N,{round(millimetres * dpi / 25.4)}"
    return "\n".join((
        f"^XA^CI28^PW{width}^LL{height}",
        f"{at(6, 6)}{size(9)}^FD{shipment['depot']}^FS",
        f"{at(6, 24)}{size(6)}^FD{clean(shipment['recipient'])}^FS",
        f"{at(6, 34)}{size(5)}^FD{clean(shipment['address'])}^FS",
        f"{at(6, 60)}{size(4)}^FD{shipment['grams']} g^FS",
        f"{at(6, 90)}^BY{max(2, dpi // 100)}^BCN,{round(25 * dpi / 25.4)},Y,N,N^FD{shipment['number']}^FS",
        "^XZ",
    ))


def work(pool, own):
    from .db import fetch_one

    with pool.transaction() as cursor:
        shipment = fetch_one(cursor, """
            SELECT s.id, s.number, s.recipient, s.address, s.grams, d.code AS depot
            FROM shipments s JOIN depots d ON d.id = s.depot_id
            WHERE s.status = 'ordered' AND s.ready_at <= now()
            ORDER BY s.ready_at, s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED""")
        if shipment is None:
            return 0
        cursor.execute("INSERT INTO labels (shipment_id, dpi, zpl) VALUES (%s, %s, %s)",
                       (shipment["id"], own["dpi"], label(shipment, own["dpi"])))
        cursor.execute("UPDATE shipments SET status = 'labelled' WHERE id = %s", (shipment["id"],))
    return 1


def main():
    settings, own = of_program("render", options())
    from .program import run

    run("render", settings, own, work)


if __name__ == "__main__":
    main()
