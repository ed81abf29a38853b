"""Captions of a playback: each has a subject and, in Empire of the Sun, says whose units it is about."""

import re
from collections.abc import Iterator

import pytest

from engine.eots import prose as eots_prose
from engine.eots.events import offensive
from engine.eots.events.base import EotsEvent
from engine.eots.ids import HexId, Side, UnitId
from engine.kernel.ids import Role, Rule
from engine.qmg import events as ev
from engine.qmg import prose as qmg_prose
from engine.registry import ruleset
from play.replay_session import ReplaySession
from saves.logfile import Log
from tests.golden_games.corpus import RECORDS, read
from tests.sizes import sampled
from tui.eots.playback.captions import event_caption
from tui.presenter.presenter import load_presenter

NAMES = sorted(path.stem for path in RECORDS.glob("*.xz"))
SHORT = "cbps-2-by-verb-mixed"


def _templates() -> Iterator[str]:
    """Yield every log sentence that is stored as text, with names in braces."""
    for sentence in (*eots_prose.SENTENCES.values(), *qmg_prose._SENTENCES.values()):
        if isinstance(sentence, str):
            yield sentence
    yield from qmg_prose._MOVE_SENTENCES.values()


def _verbs() -> frozenset[str]:
    """Return the words that follow a subject, in the singular and in the plural."""
    words = {
        "goes",
        "go",
        "plays",
        "play",
        "moves",
        "rolls",
        "wins",
        "is",
        "are",
        "has",
        "have",
        "takes",
        "flies",
    }
    for text in _templates():
        words |= set(re.findall(r"^\{\w+\} ([a-z]+)", text))
        for one, other in re.findall(r"^\{\w+:([a-z]+)[^|{}]*\|([a-z]+)", text):
            words |= {one, other}
    return frozenset(words)


VERBS = _verbs()


def is_without_subject(line: str) -> bool:
    """Return whether a caption begins with a verb or has a missing name."""
    first = line.split(" ", maxsplit=1)[0].rstrip(".,:").lower()
    return first in VERBS or "  " in line or line != line.strip()


def test_caption_verbs_are_recognised() -> None:
    assert {"plays", "play", "goes", "activates", "moves"} <= VERBS
    assert is_without_subject("Plays Build Army.")
    assert is_without_subject("Goes back to the deck of Japan.")
    assert not is_without_subject("Japan plays Build Army.")


def captions(name: str, role: str) -> Iterator[str]:
    """Yield all caption lines of a golden game as a seat sees it."""
    header, records = read(name)
    rules = ruleset(header.game)
    presenter = load_presenter(rules)
    replay = ReplaySession(Log(header, records, (), 0, None), rules, name)
    replay.switch_role(Role(role) if role else None)
    for stretch in replay.history_segments():
        for beat in presenter.playback_steps(
            stretch.seen_events, stretch.view_before, stretch.view_after
        ):
            yield from beat.text.split("\n")


def _faults(name: str) -> list[str]:
    roles = ("", *(str(seat.role) for seat in read(name)[0].seats[:1]))
    return sorted(
        {line for role in roles for line in captions(name, role) if is_without_subject(line)}
    )


def test_captions_of_a_short_game_have_a_subject() -> None:
    assert _faults(SHORT) == []


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_captions_of_every_golden_game_have_a_subject(name: str) -> None:
    assert _faults(name) == []


@pytest.mark.parametrize(
    ("event", "text"),
    [
        pytest.param(
            ev.CardsMoved(country="uk", cards=("?",), source="play", to="deck-top"),
            "A card goes back to the deck of the UK.",
            id="a-hidden-card",
        ),
        pytest.param(
            ev.CardsMoved(country="uk", cards=("?", "?"), source="play", to="hand"),
            "2 cards go back to the hand of the UK.",
            id="hidden-cards",
        ),
        pytest.param(ev.UseCancelled(card="?"), "A card has no effect.", id="an-unknown-card"),
    ],
)
def test_unknown_cards_can_be_the_subject(event: ev.QmgEvent, text: str) -> None:
    assert qmg_prose.describe(event) == text


RABAUL = HexId("4021")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (offensive.BattleDeclared(at=RABAUL, special=False, contested_landing=False),
         "Japan declares a battle in 4021 Rabaul (7.24)"),
        (offensive.BattleDeclared(at=RABAUL, special=True, contested_landing=False),
         "The Allies declare a battle in 4021 Rabaul by special reaction (7.27)"),
        (offensive.SpecialReactionTried(at=RABAUL, success=False),
         "The Allied special reaction to 4021 Rabaul fails"),
        (offensive.IntelligenceRolled(success=True), "The Allied intelligence roll succeeds"),
        (offensive.OffensiveEnded(), "The Japanese offensive is over"),
        (offensive.UnitJoined(unit=UnitId("us-cv-wasp"), at=RABAUL),
         "US CV Wasp joins the battle in 4021 Rabaul"),
        (offensive.UnitsExpelled(rule=Rule("9.6"), units=(UnitId("cw-bb-warspite"),)),
         "British BB Warspite must leave the beaches (9.6)"),
    ],
)  # fmt: skip
def test_offensive_captions_name_the_owner_of_the_units(event: EotsEvent, text: str) -> None:
    assert event_caption(event, Side.JAPAN) == text
