"""Larkspur Freight: quotes by day, prices by night, and the governor between the two."""
