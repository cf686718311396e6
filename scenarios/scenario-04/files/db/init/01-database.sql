-- Roles: the owner holds the schema and cannot log in, every replica has a login of its
-- own, on-call engineers may read, the DBAs look after logins and prices.
CREATE ROLE larkfield_owner NOLOGIN;
CREATE ROLE larkfield_service NOLOGIN;
CREATE ROLE larkfield_app1 LOGIN PASSWORD '{{password_1}}' CONNECTION LIMIT 10 IN ROLE larkfield_service;
CREATE ROLE larkfield_app2 LOGIN PASSWORD '{{password_2}}' CONNECTION LIMIT 10 IN ROLE larkfield_service;
CREATE ROLE larkfield_app3 LOGIN PASSWORD '{{password_3}}' CONNECTION LIMIT 10 IN ROLE larkfield_service;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 10;
ALTER ROLE oncall SET default_transaction_read_only = on;
CREATE ROLE dba LOGIN CREATEROLE PASSWORD '{{dba_password}}' CONNECTION LIMIT 6;
GRANT pg_signal_backend TO dba;

CREATE DATABASE larkfield OWNER larkfield_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE larkfield FROM PUBLIC;
GRANT CONNECT ON DATABASE larkfield TO larkfield_service, oncall, dba;
