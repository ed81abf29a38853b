"""Pieces of a drawn line: text with what it stands for."""

from collections.abc import Iterable, Iterator

from tui.tones import FULL, Tone

Piece = tuple[str, Tone]


def merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces with equal neighbours joined; blanks take the tone before them, since they look alike."""
    run, tone = "", Tone.PLAIN
    for text, kind in pieces:
        if not text:
            continue
        if kind is tone or not run or (tone not in FULL and kind not in FULL and text.isspace()):
            tone = tone if run else kind
            run += text
        else:
            yield run, tone
            run, tone = text, kind
    if run:
        yield run, tone
