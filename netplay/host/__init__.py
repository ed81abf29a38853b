"""The host process: creating and serving matches, the host's status, and its lobbies."""
