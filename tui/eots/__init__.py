"""The Empire of the Sun user interface, which uses only views and commands."""
