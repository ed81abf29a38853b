"""Implements seats and hosts in a protocol 7 match. ``saves.fair`` validates the messages."""
