"""Text functions shared by all games: fuzzy matching, Markdown, and tones for log sentences."""
