-- Roles: the owner holds the schema and cannot log in, the service gets what its
-- statements need, the archive streams, on-call engineers may read and watch.
CREATE ROLE velodepot_owner NOLOGIN;
CREATE ROLE velodepot_app LOGIN PASSWORD '{{app_password}}' CONNECTION LIMIT 20;
CREATE ROLE {{role}} LOGIN REPLICATION PASSWORD '{{archive_password}}' CONNECTION LIMIT 4;
CREATE ROLE oncall LOGIN PASSWORD '{{oncall_password}}' CONNECTION LIMIT 10;
ALTER ROLE oncall SET default_transaction_read_only = on;
GRANT pg_monitor, pg_checkpoint TO oncall;

CREATE DATABASE velodepot OWNER velodepot_owner STRATEGY file_copy;
REVOKE ALL ON DATABASE velodepot FROM PUBLIC;
GRANT CONNECT ON DATABASE velodepot TO velodepot_app, oncall;

-- What the archive has not received yet is kept for it.
SELECT pg_create_physical_replication_slot('{{slot}}', true);
