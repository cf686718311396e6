"""Ferngiro worker: books payouts in the journal and makes receipts."""
