"""Empire of the Sun playback steps, captions and turn summaries."""
