\connect velodepot
GRANT EXECUTE ON FUNCTION pg_switch_wal() TO oncall;
SET ROLE velodepot_owner;

CREATE TABLE stations (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code text NOT NULL UNIQUE CHECK (code ~ '^[A-Z]{3}$'),
    name text NOT NULL
);

CREATE TABLE docks (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code            text NOT NULL UNIQUE,
    station_id      integer NOT NULL REFERENCES stations,
    bike            text,
    battery_percent integer NOT NULL CHECK (battery_percent BETWEEN 0 AND 100),
    seen_at         timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE rides (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_reference text NOT NULL UNIQUE,
    rider            text NOT NULL,
    bike             text NOT NULL,
    from_station     integer NOT NULL REFERENCES stations,
    to_station       integer REFERENCES stations,
    price_cents      integer CHECK (price_cents > 0),
    begun_at         timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz CHECK (ended_at >= begun_at),
    CHECK ((ended_at IS NULL) = (to_station IS NULL) AND (ended_at IS NULL) = (price_cents IS NULL))
);

-- Where a ride went, one point a minute; kept for disputes, rewritten every night without those of settled ones.
CREATE TABLE tracks (
    ride_id   bigint NOT NULL REFERENCES rides,
    minute    integer NOT NULL,
    latitude  numeric(8, 5) NOT NULL,
    longitude numeric(8, 5) NOT NULL,
    PRIMARY KEY (ride_id, minute)
);

GRANT SELECT ON stations, docks, rides, tracks TO velodepot_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT UPDATE (bike, battery_percent, seen_at) ON docks TO velodepot_app;
GRANT INSERT ON rides, tracks TO velodepot_app;
GRANT UPDATE ON rides TO velodepot_app;
