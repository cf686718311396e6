-- Roles: the owner holds the schema and cannot log in, API and worker get what their
-- statements need, on-call engineers may read.
CREATE ROLE ferngiro_owner NOLOGIN;
CREATE ROLE ferngiro_api LOGIN PASSWORD '{{api_password}}' CONNECTION LIMIT 12;
CREATE ROLE ferngiro_worker LOGIN PASSWORD '{{worker_password}}' CONNECTION LIMIT 20;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 12;
ALTER ROLE oncall SET default_transaction_read_only = on;

CREATE DATABASE ferngiro OWNER ferngiro_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE ferngiro FROM PUBLIC;
GRANT CONNECT ON DATABASE ferngiro TO ferngiro_api, ferngiro_worker, oncall;
