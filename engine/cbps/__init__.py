"""Carrier Battle: Philippine Sea, in which players search for and fight a hidden Japanese fleet."""
