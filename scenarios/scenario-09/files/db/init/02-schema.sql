\connect tidewell
SET ROLE tidewell_owner;

CREATE TABLE orders (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id     text NOT NULL UNIQUE,
    item         text NOT NULL,
    quantity     integer NOT NULL CHECK (quantity > 0),
    amount_cents integer NOT NULL CHECK (amount_cents > 0),
    customer     text NOT NULL,
    accepted_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ledger (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id     text NOT NULL UNIQUE,
    source       text NOT NULL CHECK (source IN ('shop', 'marketplace')),
    item         text NOT NULL,
    quantity     integer NOT NULL CHECK (quantity > 0),
    amount_cents integer NOT NULL CHECK (amount_cents > 0),
    customer     text NOT NULL,
    note         text,
    booked_at    timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT ON orders, ledger TO tidewell_shop, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON orders TO tidewell_shop;
GRANT SELECT, INSERT ON ledger TO tidewell_ledger;
