\connect nordkai
SET ROLE nordkai_owner;

CREATE TABLE depots (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code text NOT NULL UNIQUE CHECK (code ~ '^[A-Z]{3}$'),
    name text NOT NULL
);

CREATE TABLE shipments (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number           text NOT NULL UNIQUE,
    client_reference text NOT NULL UNIQUE,
    depot_id         integer NOT NULL REFERENCES depots,
    recipient        text NOT NULL,
    address          text NOT NULL,
    grams            integer NOT NULL CHECK (grams > 0),
    status           text NOT NULL DEFAULT 'ordered' CHECK (status IN ('ordered', 'labelled', 'dispatched')),
    ready_at         timestamptz NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shipments_open ON shipments (ready_at, id) WHERE status <> 'dispatched';

CREATE TABLE labels (
    shipment_id bigint PRIMARY KEY REFERENCES shipments,
    dpi         integer NOT NULL,
    zpl         text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE manifests (
    id         bigint GENERATED ALWAYS AS IDENTITY (START WITH 4001) PRIMARY KEY,
    depot_id   integer NOT NULL REFERENCES depots,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE manifest_lines (
    manifest_id bigint NOT NULL REFERENCES manifests,
    position    integer NOT NULL CHECK (position > 0),
    shipment_id bigint NOT NULL UNIQUE REFERENCES labels,
    PRIMARY KEY (manifest_id, position)
);

GRANT SELECT ON depots, shipments, labels, manifests, manifest_lines TO nordkai_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON shipments, labels, manifests, manifest_lines TO nordkai_app;
GRANT UPDATE (status) ON shipments TO nordkai_app;
