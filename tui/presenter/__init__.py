"""The interface between a game and the screens, and text about matches that is common to all games."""
