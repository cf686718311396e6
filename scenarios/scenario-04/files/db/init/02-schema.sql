\connect larkfield
SET ROLE larkfield_owner;

CREATE TABLE items (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sku         text NOT NULL UNIQUE,
    name        text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('flower', 'herb', 'vegetable', 'voucher')),
    price_cents integer NOT NULL CHECK (price_cents > 0)
);

CREATE TABLE orders (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference        text NOT NULL UNIQUE,
    client_reference text NOT NULL UNIQUE,
    item_id          integer NOT NULL REFERENCES items,
    quantity         integer NOT NULL CHECK (quantity > 0),
    amount_cents     integer NOT NULL CHECK (amount_cents > 0),
    customer         text NOT NULL,
    email            text NOT NULL,
    status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'sent', 'cancelled')),
    taken_by         text NOT NULL DEFAULT session_user,
    created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX orders_item_id ON orders (item_id);

CREATE FUNCTION prices_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('prices', NEW.sku);
    RETURN NULL;
END $$;
CREATE TRIGGER prices_changed AFTER INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION prices_changed();

GRANT SELECT ON items, orders TO larkfield_service, oncall, dba;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT (reference, client_reference, item_id, quantity, amount_cents, customer, email) ON orders TO larkfield_service;
GRANT UPDATE (status) ON orders TO larkfield_service;
GRANT UPDATE (price_cents) ON items TO dba;
