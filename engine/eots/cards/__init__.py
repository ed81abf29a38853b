"""The effects of strategy cards, stored as data and carried out by small interpreters (5.3)."""
