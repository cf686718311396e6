-- Roles: the owner holds the schema and cannot log in, services get what their statements need, on-call engineers may read.
-- The services share one budget of connections.
CREATE ROLE larkspur_owner NOLOGIN;
CREATE ROLE larkspur LOGIN PASSWORD '{{app_password}}' CONNECTION LIMIT 22;
CREATE ROLE governor LOGIN PASSWORD '{{governor_password}}' CONNECTION LIMIT 3;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 10;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE larkspur OWNER larkspur_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE larkspur FROM PUBLIC;
GRANT CONNECT ON DATABASE larkspur TO larkspur, governor, oncall;
