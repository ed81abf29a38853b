"""Defines the default folders for games and related files."""

from pathlib import Path

from platformdirs import user_data_path


def games_folder() -> Path:
    """Return the folder for local games."""
    return _home() / "games"


def lessons_folder() -> Path:
    """Return the folder for guided lessons in progress."""
    return _home() / "lessons"


def hosted_folder() -> Path:
    """Return the folder for the keys, matches and invites of games hosted on this machine."""
    return _home() / "hosted"


def invites_folder() -> Path:
    """Return the folder for invites to games hosted elsewhere."""
    return _home() / "invites"


def joined_folder() -> Path:
    """Return the folder for copies of games hosted elsewhere."""
    return _home() / "joined"


def mail_folder() -> Path:
    """Return the folder for move files waiting to be sent."""
    return _home() / "mail"


def ssh_folder() -> Path:
    """Return the folder for the copies and settings of players who connect over SSH."""
    return _home() / "door"


def pictures_folder() -> Path:
    """Return the folder for preview pictures of saved games, which can be deleted at any time."""
    return _home() / "pictures"


def _home() -> Path:
    return user_data_path("flagplot", appauthor=False)
