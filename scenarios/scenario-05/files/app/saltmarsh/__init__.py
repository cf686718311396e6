"""Saltmarsh Ledger: journals of many customers, kept and exported."""
