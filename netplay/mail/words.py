"""What people read about move files: above their text, in their names, and when one was taken."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.kernel.sentences import with_word
from netplay.cleaning import NAME_LIMIT, clean
from netplay.handout import short_name
from netplay.messages import Refused, Submit
from saves.headers import Header

SUFFIX = ".txt"
"""Mail programs and chats take such files and show what is in them."""
_TEXT = 900


@dataclass
class Report:
    """What came of a move file."""

    sender: str
    number: int
    is_old: bool = False
    """It was taken before, or a later one was."""
    records: int = 0
    """Records that were new here."""
    done: int = 0
    """Commands that were carried out."""
    known: int = 0
    """Commands that had their records already."""
    refused: list[Refused] = field(default_factory=list)
    dropped: int = 0
    """Own commands that do not fit any more."""
    said: list[str] = field(default_factory=list)
    differs: bool = False
    """The copies differ; the next file puts it right."""

    def refuse(self, submits: Sequence[Submit], text: str) -> None:
        """Note that a command was refused, and with it those behind it."""
        for submit in submits[:1]:
            refused = Refused(request_id=submit.request_id, code="stale", text=text[:_TEXT])
            self.refused.append(refused)

    @property
    def is_news(self) -> bool:
        """Return whether anything is different now."""
        told = self.records or self.done or self.said or self.refused or self.dropped
        return bool(told) or self.differs

    def lines(self) -> tuple[str, ...]:
        """Return it in sentences."""
        head = f"File {self.number} of {self.sender}"
        if self.is_old and not self.is_news:
            return (f"{head} was taken before, or a later one was; nothing has changed.",)
        parts = []
        if self.records:
            parts.append(with_word(self.records, "new record", "new records"))
        if self.done:
            parts.append(f"{with_word(self.done, 'command', 'commands')} carried out")
        if self.known and not self.done:
            parts.append("its commands were carried out before")
        lines = [f"{head}: {', '.join(parts) or 'no move'}."]
        lines += [f"Not carried out: {one.text}" for one in self.refused]
        if self.dropped:
            lost = with_word(self.dropped, "command of yours does", "commands of yours do")
            lines.append(f"{lost} not fit any more.")
        if self.differs:
            lines.append("The copies differ; the next file puts that right.")
        return tuple(lines)


def title_words(header: Header) -> str:
    """Return game and scenario in a few words."""
    return " ".join(filter(None, (header.game, header.scenario)))


def lines_above(header: Header, sender: str, reader: str, number: int) -> tuple[str, ...]:
    """Return the words above a move file, for whoever sees it in a mail or a chat."""
    names = clean(sender, NAME_LIMIT), clean(reader, NAME_LIMIT)
    return (
        f"flagplot {title_words(header)}: move file {number} from {names[0]} to {names[1]}",
        "Save this text, then type: flagplot take FILE   (or paste: flagplot take -)",
    )


def file_name(header: Header, sender: str, reader: str, number: int) -> str:
    """Return what a move file is called, such as ``1943-ann-to-bob-3.txt``."""
    what = header.scenario or header.game
    names = short_name((), sender) or "judge", short_name((), reader) or "seat"
    return f"{what}-{names[0]}-to-{names[1]}-{number}{SUFFIX}"
