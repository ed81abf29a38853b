"""The interface between a game and the screens, and the texts about matches that use this interface."""
