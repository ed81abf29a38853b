"""Handles the records of matches: their file format, hash chain, replay, schema upgrades and verification."""
