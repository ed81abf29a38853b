"""Creates texts about move files: the lines above the block, file names, and reports on processed files."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.kernel.sentences import pluralise
from netplay.invites.invite_files import short_name
from netplay.wire.messages import Refused, Submit
from netplay.wire.sanitising import NAME_LIMIT, sanitise
from saves.headers import Header

SUFFIX = ".txt"
"""Suffix for move files. Mail and chat programs accept files with this suffix and can display them."""
_MAX_TEXT = 900


@dataclass
class MoveFileReport:
    """The result of processing a move file."""

    sender: str
    number: int
    is_old: bool = False
    """True if this file or a later one has already been processed."""
    records: int = 0
    """Number of new records."""
    carried_out: int = 0
    """Number of commands carried out."""
    already_known: int = 0
    """Number of commands that had already been recorded."""
    refused: list[Refused] = field(default_factory=list)
    dropped: int = 0
    """Number of this side's own commands that were dropped because they are no longer legal."""
    chat_texts: list[str] = field(default_factory=list)
    differs: bool = False
    """True if the copies differ. The next file from the host will fix this."""

    def add_refusal(self, submits: Sequence[Submit], text: str) -> None:
        """Report these commands as refused. Only the first is listed, because the others were refused as a result."""
        for submit in submits[:1]:
            refused = Refused(request_id=submit.request_id, code="stale", text=text[:_MAX_TEXT])
            self.refused.append(refused)

    @property
    def has_effect(self) -> bool:
        """Return whether processing the file changed anything that the player should be told about."""
        chat_or_refusals = (
            self.records or self.carried_out or self.chat_texts or self.refused or self.dropped
        )
        return bool(chat_or_refusals) or self.differs

    def lines(self) -> tuple[str, ...]:
        """Return the report as sentences."""
        prefix = f"File {self.number} from {self.sender}"
        if self.is_old and not self.has_effect:
            return (f"{prefix} or a later one has already been imported; nothing has changed.",)
        parts = []
        if self.records:
            parts.append(pluralise(self.records, "new record", "new records"))
        if self.carried_out:
            parts.append(f"{pluralise(self.carried_out, 'command', 'commands')} carried out")
        if self.already_known and not self.carried_out:
            parts.append("its commands had already been carried out")
        lines = [f"{prefix}: {', '.join(parts) or 'no move'}."]
        lines += [f"Not carried out: {refusal.text}" for refusal in self.refused]
        if self.dropped:
            dropped_text = pluralise(self.dropped, "of your commands is", "of your commands are")
            lines.append(f"{dropped_text} no longer possible.")
        if self.differs:
            lines.append("The copies differ; the next file will fix that.")
        return tuple(lines)


def match_title(header: Header) -> str:
    """Return the game's and the scenario's titles as one short title."""
    return " ".join(filter(None, (header.game, header.scenario)))


def header_lines(header: Header, sender: str, recipient: str, number: int) -> tuple[str, ...]:
    """Return the lines above a move file that explain it to people who see it in an email or chat."""
    names = sanitise(sender, NAME_LIMIT), sanitise(recipient, NAME_LIMIT)
    return (
        f"flagplot {match_title(header)}: move file {number} from {names[0]} to {names[1]}",
        "Save this text, then type: flagplot mail take FILE   (or paste: flagplot mail take -)",
    )


def move_file_name(header: Header, sender: str, recipient: str, number: int) -> str:
    """Return the name for a move file, such as ``1943-ann-to-bob-3.txt``.

    The header may come from a dishonest host, so the name contains no path separators.
    """
    subject = short_name((), header.scenario) or short_name((), header.game)
    names = short_name((), sender) or "judge", short_name((), recipient) or "seat"
    return f"{subject}-{names[0]}-to-{names[1]}-{number}{SUFFIX}"
