"""Stores the keys, signed messages and transcript that a protocol 7 seat writes to disk before it sends anything."""
