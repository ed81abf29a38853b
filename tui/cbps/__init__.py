"""The user interface of Carrier Battle: Philippine Sea."""
