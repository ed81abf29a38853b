"""Data that a protocol 7 seat stores on disk before sending anything: its keys, signed messages and transcript."""
