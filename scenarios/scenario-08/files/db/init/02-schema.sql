\connect frostgate
SET ROLE frostgate_owner;

CREATE TABLE rooms (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code           text NOT NULL UNIQUE,
    name           text NOT NULL,
    target_celsius numeric(4, 1) NOT NULL
);

CREATE TABLE devices (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text NOT NULL UNIQUE,
    class        text NOT NULL CHECK (class IN ('temp', 'door', 'meter')),
    room_id      integer NOT NULL REFERENCES rooms,
    settings     jsonb NOT NULL DEFAULT '{"interval_s": 15}',
    installed_on date NOT NULL
);

CREATE TABLE readings (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id       integer NOT NULL REFERENCES devices,
    message_id      text NOT NULL,
    value           numeric(10, 2) NOT NULL,
    battery_percent smallint CHECK (battery_percent BETWEEN 0 AND 100),
    measured_at     timestamptz NOT NULL,
    received_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (device_id, message_id)
);
CREATE INDEX readings_device_id ON readings (device_id, id);

GRANT SELECT ON rooms, devices, readings TO frostgate_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT UPDATE (settings) ON devices TO frostgate_app;
GRANT INSERT ON readings TO frostgate_app;
