"""Tidewell: a shop that takes orders, a broker that carries them, and a ledger that books each of them once."""
