-- Roles: the owner holds the schema and cannot log in, the service gets what its
-- statements need, on-call engineers may read.
CREATE ROLE frostgate_owner NOLOGIN;
CREATE ROLE frostgate_app LOGIN PASSWORD '{{app_password}}' CONNECTION LIMIT 12;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 12;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE frostgate OWNER frostgate_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE frostgate FROM PUBLIC;
GRANT CONNECT ON DATABASE frostgate TO frostgate_app, oncall;
