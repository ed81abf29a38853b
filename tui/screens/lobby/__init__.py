"""The main menu and the screens that lead to a match: saved games, invites, and hosted matches."""
