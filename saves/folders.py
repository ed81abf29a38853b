"""Where the games of this account are kept unless the player names a place."""

from pathlib import Path

from platformdirs import user_data_path


def games_folder() -> Path:
    """Return the folder of games at this keyboard."""
    return _home() / "games"


def hosted_folder() -> Path:
    """Return the folder of keys, matches and invites of a host on this machine."""
    return _home() / "hosted"


def joined_folder() -> Path:
    """Return the folder of copies of games on other machines."""
    return _home() / "joined"


def pictures_folder() -> Path:
    """Return the folder of what games looked like when they were left; it may be deleted at any time."""
    return _home() / "pictures"


def _home() -> Path:
    return user_data_path("flagplot", appauthor=False)
