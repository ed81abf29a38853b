"""Battles: participants, air-naval and ground combat, hits, retreats (9.0-9.5)."""
