"""The rules engine, which is pure: no clock, no network, and no files other than its own data."""
