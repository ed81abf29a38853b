"""Options and set-up shared by ``flagplot mail send`` and ``flagplot mail take``."""

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
        help="Folder of the matches that you host. Default: the account's data folder.",
    ),
    click.option(
        "--copies",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of your own copies. Default: the account's data folder.",
    ),
)


def folder_options(command: F) -> F:
    """Add the options ``--folder`` and ``--copies`` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_mail_store(folder: Path | None, copies: Path | None) -> "MailStore":
    """Open the mail store in the given folders, and start logging to a file there."""
    from netplay.mail.mail_store import account_mail_store
    from netplay.system.host_log import log_to_file

    mail_store = account_mail_store(folder, copies)
    log_to_file(mail_store.copies / "mail.log")
    return mail_store
