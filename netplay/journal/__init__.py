"""Stores what a protocol 7 seat writes to disk before it sends anything: its keys, signed messages and transcript."""
