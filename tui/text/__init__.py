"""Text functions that do not depend on any game: fuzzy matching, Markdown, and sentence tones."""
