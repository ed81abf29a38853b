"""Every fact of the game by what it is about; the state is a fold of these."""
