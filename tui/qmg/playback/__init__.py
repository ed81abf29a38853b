"""Quartermaster General playback steps, and the news of a round."""
