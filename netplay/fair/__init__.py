"""Implements the seat and the host of a protocol 7 match. ``saves.fair`` validates the messages."""
