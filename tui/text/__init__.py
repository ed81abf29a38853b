"""Text functions that know nothing of games: fuzzy matching, Markdown, and the tone of a sentence."""
