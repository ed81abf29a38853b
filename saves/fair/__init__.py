"""Verifies transcripts and records of fair matches (protocol 7)."""
