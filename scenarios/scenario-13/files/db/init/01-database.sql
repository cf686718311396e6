-- Roles: the owner holds the schema and cannot log in, the service gets what its
-- statements need, on-call engineers may read.
CREATE ROLE nordkai_owner NOLOGIN;
CREATE ROLE nordkai_app LOGIN PASSWORD '{{app_password}}' CONNECTION LIMIT 20;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 10;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE nordkai OWNER nordkai_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE nordkai FROM PUBLIC;
GRANT CONNECT ON DATABASE nordkai TO nordkai_app, oncall;
