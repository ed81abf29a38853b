"""Finished games of every scenario that must verify byte for byte for ever (robustness test P1)."""
