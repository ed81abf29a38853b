"""Screens to read: the rules reference, key help, and a game's text pages."""
