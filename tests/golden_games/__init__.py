"""Finished games of every scenario that must always verify byte for byte (robustness test P1)."""
