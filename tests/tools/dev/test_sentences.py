"""The sentences of the program: all of them are found, and none has an error that a program can detect."""

import re
from functools import cache

import pytest

from engine.registry import games
from tools.dev.sentences import PROGRAM, Sentence, sentences

FAULTS = {
    "a plural in brackets": r"[a-z]\(s\)|\(es\)",
    "a doubled word": r"\b(?P<word>the|a|an|of|to|is|are|in|not) (?P=word)\b",
    "a space before a comma or a full stop": r"[a-z] [,;](?= |$)|[a-z] \.(?= |$)",
    "a sentence that sounds translated": r"\b[Ff]orgot:|everything is tried|\bin force:",
}


@cache
def said(whose: str) -> tuple[Sentence, ...]:
    """Return the sentences of a game or of the program."""
    return tuple(sentences(whose))


MIN_TEXTS = {"cbps": 300, "eots": 300, "qmg": 300, PROGRAM: 300}
"""Numbers of texts below which the search itself must have failed. Other games may have fewer."""
QUICK = ("eots", "qmg")
"""The games whose sentences other tests read as well."""


@pytest.mark.parametrize(
    "whose",
    [
        pytest.param(whose, marks=() if whose in QUICK else pytest.mark.full)
        for whose in (*games(), PROGRAM)
    ],
)
def test_sentences_have_no_detectable_fault(whose: str) -> None:
    assert len(said(whose)) > MIN_TEXTS.get(whose, 0), (
        f"too few texts: list them with tools.dev.sentences {whose}"
    )
    faults = re.compile("|".join(f"({fault})" for fault in FAULTS.values()))
    assert [one for one in said(whose) if faults.search(one.text)] == []


@pytest.mark.parametrize("game", ["eots", "qmg"])
def test_bot_reasons_do_not_start_with_a_capital(game: str) -> None:
    places = {f"engine/bots/greedy_{game}_reasons.py", f"engine/bots/strong_{game}_plays.py"}
    reasons = [one.text for one in said(game) if one.place in places]
    assert len(reasons) > 15
    assert [text for text in reasons if text[0].isupper()] == []


def test_texts_and_their_placeholders_are_read_as_one_sentence() -> None:
    texts = {one.text for one in said("eots")}
    whole = re.compile(r"goes for \{join_hex_names[^{}]*\}\{[^{}]*\}\.")
    assert any(map(whole.fullmatch, texts))
