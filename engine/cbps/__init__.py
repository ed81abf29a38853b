"""Carrier Battle: Philippine Sea, against the hidden Japanese fleet."""
