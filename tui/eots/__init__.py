"""The user interface of Empire of the Sun, which uses only views and commands."""
