"""The screen for playing a seat, and the lesson screen based on it."""
