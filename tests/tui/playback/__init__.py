"""Playback, marks, news and alerts."""
