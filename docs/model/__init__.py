"""An explicit-state model of the core of fair-play protocol 7, which is searched exhaustively."""
