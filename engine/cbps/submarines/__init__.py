"""Submarines of both sides (chapter 14)."""
