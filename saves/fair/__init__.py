"""Implements protocol 7 for fair and joint matches: transcripts, mixes, records, verification and evidence."""
