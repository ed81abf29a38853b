"""Publishes a match to its peers, spectators and reminders, and detects copies that differ."""
