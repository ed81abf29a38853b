"""Playback steps of Empire of the Sun, their captions, and the news of a turn."""
