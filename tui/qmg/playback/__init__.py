"""Playback steps of Quartermaster General, and the news of a round."""
