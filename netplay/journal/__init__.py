"""Implements the files that a protocol 7 seat writes to disk before it sends anything: its keys and its journal."""
