"""The Carrier Battle: Philippine Sea user interface."""
