"""Sends records to peers and spectators, sends reminders, and detects copies that differ."""
