# The three machines, their sentinels and the shop, seen from outside. TASK says what is looked at.
# with checks/kv.py
exec python3 kv.py
