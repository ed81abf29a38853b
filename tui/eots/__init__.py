"""Words and pictures for Empire of the Sun; sees views and commands only."""
