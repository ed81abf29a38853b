"""Text colours and output to the terminal: roles, palettes, themes, and the terminal's capabilities."""
