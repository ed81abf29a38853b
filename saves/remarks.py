"""Defines remarks about a game, such as a teacher's comments or a bot's explanation of its plan.

Each remark is a separate record, which the chain covers. Everyone can read a remark, and it does not change the game.
"""

from typing import Annotated, Final

import msgspec

from engine.kernel.ruleset import Command
from saves.decoding import canonical, decode

MAX_LENGTH: Final = 400
"""Maximum length of a remark in characters."""

_ONE_LINE: Final = r"^[^\s\x00-\x1f\x7f-\x9f]+( [^\s\x00-\x1f\x7f-\x9f]+)*$"
"""Matches words separated by single spaces. Text exports can therefore reproduce every remark exactly."""

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_LENGTH, pattern=_ONE_LINE)]


class Remark(Command, frozen=True, kw_only=True, tag="remark"):
    """A short text, stored in place of a command."""

    text: Text


_DECODER: Final = msgspec.msgpack.Decoder(Remark)


def make_remark(text: str) -> Remark:
    """Build a remark from a text. Runs of white space are collapsed to single spaces.

    Raises:
        UnreadableError: The text is empty, too long or contains control characters.
    """
    data = canonical(Remark(text=" ".join(text.split())))
    return decode(_DECODER, data, len(data))
