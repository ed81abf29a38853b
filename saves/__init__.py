"""Handles match records: file format, hash chain, replay, schema upgrades and verification."""
