"""Behaviour of a participant and of the host in a match of protocol 7; validity is decided in ``saves.fair``."""
