"""Carrier Battle: Philippine Sea for the screens."""
