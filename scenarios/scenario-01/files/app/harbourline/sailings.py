"""What can be booked, and how well it sells."""

from flask import Blueprint, jsonify, request

from .api import query_integer
from .db import transaction

blueprint = Blueprint("sailings", __name__, url_prefix="/api")


@blueprint.get("/sailings")
def upcoming():
    limit, offset = query_integer("limit", 20, 1, 100), query_integer("offset", 0, 0, 100_000)
    with transaction() as cursor:
        cursor.execute("""
            SELECT s.code, r.code AS route, r.origin, r.destination, s.vessel, s.departs_at::text,
                   r.duration_minutes, s.seats_left, s.price_cents
            FROM sailings s JOIN routes r ON r.id = s.route_id
            WHERE s.status = 'open' AND s.departs_at > now() AND r.code = coalesce(%s, r.code)
            ORDER BY s.departs_at, s.id LIMIT %s OFFSET %s
            """, (request.args.get("route"), limit + 1, offset))
        rows = cursor.fetchall()
    return jsonify(items=rows[:limit], next_offset=offset + limit if len(rows) > limit else None)


@blueprint.get("/reports/occupancy")
def occupancy():
    days = query_integer("days", 7, 1, 60)
    with transaction() as cursor:
        cursor.execute("""
            SELECT r.code AS route, count(*) AS sailings, sum(s.capacity) AS capacity,
                   sum(s.capacity - s.seats_left) AS seats_sold, coalesce(sum(paid.cents), 0)::bigint AS paid_cents
            FROM sailings s JOIN routes r ON r.id = s.route_id
            LEFT JOIN (
                SELECT b.sailing_id, sum(p.amount_cents) AS cents
                FROM payments p JOIN bookings b ON b.id = p.booking_id GROUP BY b.sailing_id
            ) paid ON paid.sailing_id = s.id
            WHERE s.departs_at BETWEEN now() AND now() + make_interval(days => %s)
            GROUP BY r.code ORDER BY r.code
            """, (days,))
        return jsonify(days=days, routes=cursor.fetchall())
