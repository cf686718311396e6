# Who may log in to the database, what everybody may do there, and what it is built of; compared with BEFORE.
exec pg-rights -h db -U oncall -d larkfield --login-may-change larkfield_app1 larkfield_app2 larkfield_app3
