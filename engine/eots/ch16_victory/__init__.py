"""US Political Will, victory points and the end of the game (4.5, 16, 17)."""
