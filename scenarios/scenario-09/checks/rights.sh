# Who may log in to the database, what everybody may do there, and what it is built of; compared with BEFORE.
exec pg-rights -h db -U oncall -d tidewell
