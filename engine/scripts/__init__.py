"""The script language: text files with positions, scripted dice, commands and expectations."""
