"""Provides sessions, drafts, orders and lessons: a game as one seat sees it, independent of network and screen."""
