\connect harbourline
SET ROLE harbourline_owner;

CREATE TABLE routes (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code             text NOT NULL UNIQUE,
    origin           text NOT NULL,
    destination      text NOT NULL,
    duration_minutes integer NOT NULL CHECK (duration_minutes > 0)
);

CREATE TABLE sailings (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code        text NOT NULL UNIQUE,
    route_id    integer NOT NULL REFERENCES routes,
    vessel      text NOT NULL,
    departs_at  timestamptz NOT NULL,
    capacity    integer NOT NULL CHECK (capacity > 0),
    seats_left  integer NOT NULL CHECK (seats_left BETWEEN 0 AND capacity),
    price_cents integer NOT NULL CHECK (price_cents > 0),
    status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed'))
);
CREATE INDEX sailings_departs_at ON sailings (departs_at, id);

CREATE TABLE bookings (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference        text NOT NULL UNIQUE,
    client_reference text NOT NULL UNIQUE,
    sailing_id       integer NOT NULL REFERENCES sailings,
    passenger_name   text NOT NULL,
    email            text NOT NULL,
    seats            integer NOT NULL CHECK (seats > 0),
    amount_cents     integer NOT NULL CHECK (amount_cents > 0),
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'cancelled')),
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bookings_sailing_id ON bookings (sailing_id);

CREATE TABLE payments (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    booking_id   bigint NOT NULL UNIQUE REFERENCES bookings,
    amount_cents integer NOT NULL CHECK (amount_cents > 0),
    method       text NOT NULL CHECK (method IN ('card', 'invoice', 'voucher')),
    paid_at      timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT ON routes, sailings, bookings, payments TO harbourline_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT UPDATE (seats_left) ON sailings TO harbourline_app;
GRANT INSERT ON bookings, payments TO harbourline_app;
GRANT UPDATE (status, updated_at) ON bookings TO harbourline_app;
