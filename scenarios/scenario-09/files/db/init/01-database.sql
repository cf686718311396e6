-- Roles: the owner holds the schema and cannot log in, shop and ledger get what their
-- statements need, on-call engineers may read.
CREATE ROLE tidewell_owner NOLOGIN;
CREATE ROLE tidewell_shop LOGIN PASSWORD '{{shop_db_password}}' CONNECTION LIMIT 8;
CREATE ROLE tidewell_ledger LOGIN PASSWORD '{{ledger_db_password}}' CONNECTION LIMIT 8;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 12;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE tidewell OWNER tidewell_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE tidewell FROM PUBLIC;
GRANT CONNECT ON DATABASE tidewell TO tidewell_shop, tidewell_ledger, oncall;
