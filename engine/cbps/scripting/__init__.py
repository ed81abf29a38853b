"""The game's own words in the script language."""
