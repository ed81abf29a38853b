"""Empire of the Sun playback steps and captions, and the news of a turn."""
