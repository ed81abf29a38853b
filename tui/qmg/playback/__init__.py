"""Quartermaster General playback steps and round summaries."""
