\connect ferngiro
SET ROLE ferngiro_owner;

CREATE TABLE payouts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference    text NOT NULL UNIQUE,
    merchant     text NOT NULL,
    iban         text NOT NULL,
    amount_cents integer NOT NULL CHECK (amount_cents > 0),
    callback_url text,
    execute_at   timestamptz NOT NULL DEFAULT now(),
    status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'claimed', 'booked')),
    claimed_by   text,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payouts_open ON payouts (id) WHERE status <> 'booked';

-- The ledger: what stands in the journal, line by line.
CREATE TABLE entries (
    period       text NOT NULL,
    entry_no     integer NOT NULL CHECK (entry_no > 0),
    payout_id    bigint NOT NULL UNIQUE REFERENCES payouts,
    amount_cents integer NOT NULL,
    booked_by    text NOT NULL,
    booked_at    timestamptz NOT NULL DEFAULT now(),
    receipt_at   timestamptz,
    PRIMARY KEY (period, entry_no)
);
CREATE INDEX entries_without_receipt ON entries (period, entry_no) WHERE receipt_at IS NULL;

GRANT SELECT ON payouts, entries TO ferngiro_api, ferngiro_worker, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON payouts TO ferngiro_api;
GRANT UPDATE (status, claimed_by) ON payouts TO ferngiro_worker;
GRANT INSERT ON entries TO ferngiro_worker;
GRANT UPDATE (receipt_at) ON entries TO ferngiro_worker;
