"""The host process: opening and serving matches, its status, and its lobbies."""
