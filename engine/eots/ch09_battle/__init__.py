"""Battles: participants, air-naval and ground combat, hits, retreat (9.0-9.5)."""
