"""The record of a match: file format, hash chain, replay, schema upgrades and verification."""
