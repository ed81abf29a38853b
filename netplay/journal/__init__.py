"""Data that a protocol 7 seat stores on disk before it sends anything: keys, signed messages, its transcript."""
