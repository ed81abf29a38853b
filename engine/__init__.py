"""The rules engine. It is pure: it uses no clock, no network, and no files other than its own data."""
