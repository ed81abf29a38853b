"""Provides peers and spectators with records, detects copies that differ, and reminds absent players."""
