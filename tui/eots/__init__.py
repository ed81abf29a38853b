"""The user interface of Empire of the Sun; it uses only views and commands."""
