"""What somebody says about a game in its record: a teacher about a lesson, a bot about its plan.

A remark is a record of its own. It is open to everybody, changes nothing in the game, and the chain covers it.
"""

from typing import Annotated, Final

import msgspec

from engine.kernel.ruleset import Command
from saves.decoding import canonical, decode

LIMIT: Final = 400
"""Characters of one remark."""

_BLANKED: Final = r"^[^\s\x00-\x1f\x7f-\x9f]+( [^\s\x00-\x1f\x7f-\x9f]+)*$"
"""Words with single blanks between them, so that the text form of a record gives the same line back."""

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LIMIT, pattern=_BLANKED)]


class Remark(Command, frozen=True, kw_only=True, tag="remark"):
    """One sentence or a few; stands in its record where a command stands in others."""

    text: Text


_DECODER: Final = msgspec.msgpack.Decoder(Remark)


def as_remark(text: str) -> Remark:
    """Return a remark of a text; white space shrinks to single blanks.

    Raises:
        UnreadableError: The text is empty, too long, or holds control characters.
    """
    data = canonical(Remark(text=" ".join(text.split())))
    return decode(_DECODER, data, len(data))
