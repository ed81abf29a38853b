"""Playback steps of Carrier Battle, their battle boards, and the news of a turn."""
