"""Publishes a match to its peers and spectators, sends reminders, and detects copies that differ."""
