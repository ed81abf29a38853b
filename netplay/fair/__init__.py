"""How seats and hosts behave in a protocol 7 match. Validity of messages is decided in ``saves.fair``."""
