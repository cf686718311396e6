\connect saltmarsh
SET ROLE saltmarsh_owner;

CREATE TABLE customers (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug         text NOT NULL UNIQUE,
    name         text NOT NULL,
    token_sha256 text NOT NULL UNIQUE
);

CREATE TABLE entries (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id  integer NOT NULL REFERENCES customers,
    booked_on    date NOT NULL,
    voucher      text NOT NULL,
    account      integer NOT NULL,
    contra       integer NOT NULL,
    amount_cents bigint NOT NULL,
    text         text NOT NULL,
    document     text NOT NULL DEFAULT '',     -- what the scanner read
    entered_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE exports (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference        text NOT NULL UNIQUE,
    client_reference text NOT NULL,
    customer_id      integer NOT NULL REFERENCES customers,
    status           text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'complete', 'incomplete')),
    rows_expected    integer,
    rows_written     integer NOT NULL DEFAULT 0,
    sha256           text,
    error            text,
    worker           text,
    requested_at     timestamptz NOT NULL DEFAULT now(),
    started_at       timestamptz,
    finished_at      timestamptz,
    UNIQUE (customer_id, client_reference)
);
CREATE INDEX exports_queue ON exports (id) WHERE status IN ('queued', 'running');

CREATE TABLE export_parts (
    export_id bigint NOT NULL REFERENCES exports ON DELETE CASCADE,
    seq       integer NOT NULL,
    row_count integer NOT NULL,
    content   bytea NOT NULL,
    PRIMARY KEY (export_id, seq)
);

GRANT SELECT ON customers, entries, exports, export_parts TO saltmarsh_api, saltmarsh_worker, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON entries TO saltmarsh_api;
GRANT INSERT (reference, client_reference, customer_id) ON exports TO saltmarsh_api;
GRANT UPDATE, DELETE ON exports TO saltmarsh_worker;
GRANT INSERT, DELETE ON export_parts TO saltmarsh_worker;
