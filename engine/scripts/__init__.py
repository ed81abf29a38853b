"""The language of scripts: positions, scripted dice, commands and expectations in a text file."""
