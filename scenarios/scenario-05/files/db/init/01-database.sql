-- Roles: the owner holds the schema and cannot log in, services get what their
-- statements need, on-call engineers may read.
CREATE ROLE saltmarsh_owner NOLOGIN;
CREATE ROLE saltmarsh_api LOGIN PASSWORD '{{api_password}}' CONNECTION LIMIT 16;
CREATE ROLE saltmarsh_worker LOGIN PASSWORD '{{worker_password}}' CONNECTION LIMIT 12;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 10;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE saltmarsh OWNER saltmarsh_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE saltmarsh FROM PUBLIC;
GRANT CONNECT ON DATABASE saltmarsh TO saltmarsh_api, saltmarsh_worker, oncall;
