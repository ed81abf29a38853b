"""The effects of strategy cards, which are stored as data and carried out by small interpreters (5.3)."""
