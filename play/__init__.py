"""Provides sessions, drafts, orders and lessons: a game as seen from one seat, independent of network and screen."""
