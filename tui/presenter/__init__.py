"""The interface between a game and the screens, and the texts about matches that are created through it."""
