"""What ``flagplot send`` and ``flagplot take`` share: where everything lies, and files on the disk."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from netplay.mail.mail_store import MailStore

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the matches that you judge. Default: the account's data folder.",
    ),
    click.option(
        "--copies",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of your seats' copies. Default: the account's data folder.",
    ),
)


def place_options(command: F) -> F:
    """Give a command the options that say where everything lies."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def office_at(folder: Path | None, copies: Path | None) -> "MailStore":
    """Return where everything lies; what is logged goes to a file there."""
    from netplay.mail.mail_store import office_of_account
    from netplay.system.host_log import log_to_file

    office = office_of_account(folder, copies)
    log_to_file(office.copies / "mail.log")
    return office
