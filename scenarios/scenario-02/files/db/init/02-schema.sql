\connect lindenpost
SET ROLE lindenpost_owner;

CREATE TABLE tariffs (
    code        text PRIMARY KEY,
    max_pages   integer NOT NULL UNIQUE CHECK (max_pages > 0),
    price_cents integer NOT NULL CHECK (price_cents > 0)
);

CREATE TABLE letters (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number           text NOT NULL UNIQUE,
    client_reference text NOT NULL UNIQUE,
    sender           text NOT NULL,
    recipient        text NOT NULL,
    pages            integer NOT NULL CHECK (pages > 0),
    price_cents      integer NOT NULL CHECK (price_cents > 0),
    sha256           text NOT NULL CHECK (length(sha256) = 64),
    status           text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'printed')),
    created_at       timestamptz NOT NULL DEFAULT now(),
    printed_at       timestamptz CHECK ((printed_at IS NOT NULL) = (status = 'printed'))
);
CREATE INDEX letters_queued ON letters (created_at, id) WHERE status = 'queued';

GRANT SELECT ON tariffs, letters TO lindenpost_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON letters TO lindenpost_app;
GRANT UPDATE (status, printed_at) ON letters TO lindenpost_app;
