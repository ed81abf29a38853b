"""Explicit-state model of the core of fair-play protocol 7, searched exhaustively."""
