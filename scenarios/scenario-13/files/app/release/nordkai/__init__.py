"""Nordkai parcels: shipments are ordered over HTTP, get a label, and go on a manifest."""
