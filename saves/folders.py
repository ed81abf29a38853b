"""Where the games of this account are kept unless the player names a place."""

from pathlib import Path

from platformdirs import user_data_path, user_state_path


def games_folder() -> Path:
    """Return the folder of games at this keyboard."""
    return _home() / "games"


def lessons_folder() -> Path:
    """Return the folder of guided lessons that were begun."""
    return _home() / "lessons"


def hosted_folder() -> Path:
    """Return the folder of keys, matches and invites of a host on this machine."""
    return _home() / "hosted"


def invites_folder() -> Path:
    """Return the folder of invites to games on other machines."""
    return _home() / "invites"


def joined_folder() -> Path:
    """Return the folder of copies of games on other machines."""
    return _home() / "joined"


def mail_folder() -> Path:
    """Return the folder of move files that are to be sent."""
    return _home() / "mail"


def door_folder() -> Path:
    """Return the folder of copies and settings of players who come through the door."""
    return _home() / "door"


def pictures_folder() -> Path:
    """Return the folder of what games looked like when they were left; it may be deleted at any time."""
    return _home() / "pictures"


def counters_folder() -> Path:
    """Return the folder of the counters of signed messages, apart from the games so that backups do not hold both."""
    return user_state_path("flagplot", appauthor=False) / "seats"


def _home() -> Path:
    return user_data_path("flagplot", appauthor=False)
