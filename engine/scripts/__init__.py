"""The script language: text files that contain positions, scripted dice, commands and expectations."""
