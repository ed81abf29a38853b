"""The screen for playing a seat, and the guided lesson on top of it."""
