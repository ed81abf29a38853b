"""A text export that was cut off is refused by name, and does not end the program by an exception."""

import pytest

from saves.jsonlines import ImportRefusedError
from saves.textlog import read_text, text_lines
from tests.saves.play import new_match
from tests.toy_game import TOY


def test_text_that_ends_with_its_opening_line_is_refused() -> None:
    match = new_match()
    *lines, _ = text_lines(TOY, match.header, match.records)
    with pytest.raises(ImportRefusedError):
        read_text(lines, TOY)
