"""Damage to ships of both sides, fires aboard, and the victory points for losses (chapters 12 and 15)."""
