"""The effects of strategy cards, which small interpreters carry out from data (5.3)."""
