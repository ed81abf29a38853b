"""Playback steps, battle boards and turn summaries of Carrier Battle."""
