"""A match's record: file format, hash chain, replay, schema upgrades and verification."""
