"""Carrier Battle: Philippine Sea, a solitaire game against the hidden Japanese fleet."""
