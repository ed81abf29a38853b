"""How text gets its colours and reaches the terminal: roles, palettes, themes, and what the terminal can show."""
