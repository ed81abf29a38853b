"""Manages the state of one match: its record, chat and offers, and clock times."""
