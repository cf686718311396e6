\connect larkspur
SET ROLE larkspur_owner;

CREATE TABLE depots (
    code text PRIMARY KEY,
    name text NOT NULL
);

CREATE TABLE lanes (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin          text NOT NULL REFERENCES depots,
    destination     text NOT NULL REFERENCES depots,
    cents_per_100kg integer NOT NULL CHECK (cents_per_100kg > 0),
    UNIQUE (origin, destination)
);

CREATE TABLE quotes (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference        text NOT NULL UNIQUE,
    client_reference text NOT NULL,
    origin           text NOT NULL REFERENCES depots,
    destination      text NOT NULL REFERENCES depots,
    weight_kg        integer NOT NULL,
    lanes            integer[] NOT NULL,
    price_cents      bigint NOT NULL,
    made_at          timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE jobs (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text NOT NULL,
    factor_permille integer NOT NULL,
    ordered_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tasks (
    job_id  integer NOT NULL REFERENCES jobs,
    lane_id integer NOT NULL REFERENCES lanes,
    PRIMARY KEY (job_id, lane_id)
);

CREATE TABLE prices (
    job_id          integer NOT NULL REFERENCES jobs,
    lane_id         integer NOT NULL REFERENCES lanes,
    cents_per_100kg integer NOT NULL,
    PRIMARY KEY (job_id, lane_id)
);

CREATE TABLE governor_audit (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT now(),
    service  text NOT NULL,
    observed jsonb NOT NULL,
    applied  jsonb NOT NULL,
    rules    text[] NOT NULL
);

GRANT SELECT ON depots, lanes, quotes, jobs, tasks, prices TO larkspur;
GRANT INSERT ON quotes, jobs, prices TO larkspur;
GRANT INSERT, UPDATE, DELETE ON tasks TO larkspur;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON governor_audit TO governor;
