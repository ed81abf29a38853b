"""The screen that replays a record."""
