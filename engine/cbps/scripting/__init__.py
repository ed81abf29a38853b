"""The words of the script language that are specific to this game."""
