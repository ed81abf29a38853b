"""Seats and hosts of a protocol 7 match. The validity of messages is decided in ``saves.fair``."""
