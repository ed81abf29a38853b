"""The words that the game adds to the script language."""
