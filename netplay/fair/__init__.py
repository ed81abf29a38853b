"""Implements the seats' side and the host's side of a protocol 7 match. ``saves.fair`` validates the messages."""
