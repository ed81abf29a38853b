import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from engine.eots import deck_steps
from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.data.reading import content
from engine.eots.deck import FILE, Card, cards
from engine.eots.deck_campaign import China, Draw, PoliticalWill, WarInEurope
from engine.eots.deck_offensive import (
    ActivateStep,
    CancelOffensive,
    DieMod,
    Intel,
    Kamikaze,
    StepLoss,
    StepLossRoll,
    StrengthMod,
)
from engine.eots.ids import ActivationNation, CardId, Side
from engine.kernel.data_files import decode

Check = Callable[[Card], Iterator[str]]
CARDS = cards()


class Expected(msgspec.Struct, frozen=True):
    """Totals counted on the card faces."""

    cards: int
    types: dict[str, int]
    removed: int
    draws: int
    ov: dict[int, int]
    reactions: dict[str, int]


TOTALS: Final = {
    Side.JAPAN: Expected(
        cards=86,
        types={"military": 30, "reaction": 25, "resource": 9, "political": 22},
        removed=44,
        draws=22,
        ov={1: 15, 2: 29, 3: 42},
        reactions={
            "intelligence": 6,
            "attack": 10,
            "counter_offensive": 5,
            "weather": 3,
            "personage": 1,
        },
    ),
    Side.ALLIED: Expected(
        cards=84,
        types={"military": 43, "reaction": 10, "resource": 10, "political": 21},
        removed=41,
        draws=10,
        ov={1: 19, 2: 43, 3: 22},
        reactions={"intelligence": 4, "attack": 4, "counter_offensive": 1, "personage": 1},
    ),
}


@pytest.mark.parametrize("side", list(Side))
def test_card_totals_per_side(side: Side) -> None:
    own = [card for card in CARDS.values() if card.side is side]
    want = TOTALS[side]
    assert [card.number for card in own] == list(range(1, want.cards + 1))
    assert Counter(card.type for card in own) == want.types
    assert Counter(card.ov for card in own) == want.ov
    assert Counter(card.reaction_class for card in own if card.reaction_class) == want.reactions
    assert sum(card.remove_after_event for card in own) == want.removed
    assert sum(card.draw for card in own) == want.draws


def check_classes(card: Card) -> Iterator[str]:
    """Classes exist exactly for their card type, and the right player uses the event (1.25)."""
    if (card.type == "reaction") != (card.reaction_class is not None):
        yield "a reaction class exactly on reaction cards"
    if (card.type == "political") != (card.political_class is not None):
        yield "a political class exactly on political cards"
    player = "reaction_player" if card.type == "reaction" else "offensives_player"
    if card.play.event_by != player:
        yield "the wrong player uses the event"


def check_intelligence(card: Card) -> Iterator[str]:
    """Intelligence values and conditions (7.26)."""
    low, high = (1, 3) if card.side is Side.ALLIED else (3, 5)
    if card.id in {"J-1", "J-2"}:
        if card.oc_intel is not None or card.play.as_oc:
            yield "a card for its event only has no operations use"
    elif card.oc_intel is None or not low <= card.oc_intel <= high:
        yield "operations intelligence out of range"
    low, high = (3, 5) if card.side is Side.ALLIED else (5, 8)
    if card.ec_intel is not None and not low <= card.ec_intel <= high:
        yield "event intelligence out of range"
    if (card.ec_intel is not None) != (card.offensive and card.intelligence != "surprise"):
        yield "event intelligence exactly on Offensives without surprise"
    if card.type == "military" and card.intelligence not in {None, "surprise"}:
        yield "a military card with a condition of reactions"
    if card.type == "reaction" and card.intelligence == "surprise":
        yield "a reaction card with surprise"


def check_intel_step(card: Card) -> Iterator[str]:
    """The condition on the card and the step that sets it agree."""
    steps = [step for step in card.effects if isinstance(step, Intel)]
    want = [] if card.intelligence is None else [(card.intelligence, card.intelligence_locked)]
    if [(step.condition, step.locked) for step in steps] != want:
        yield "the intel step differs from the card"


def check_offensive(card: Card) -> Iterator[str]:
    """Offensives activate once, with headquarters and a logistic value (7.21)."""
    activations = [step for step in card.effects if isinstance(step, ActivateStep)]
    counter = card.reaction_class == "counter_offensive"
    if card.offensive and card.type != "military":
        yield "an Offensive on a card that is not military"
    if (card.offensive or counter) and len(activations) != 1:
        yield "exactly one activation"
    if counter and not all(step.reaction and step.when == "step8" for step in activations):
        yield "a counter-offensive reacts in step 8"
    if (
        (counter or card.offensive)
        and card.id not in {"J-1", "J-2"}
        and not (card.logistic and card.hq)
    ):
        yield "headquarters and a logistic value"
    own_hqs = {
        counter.hq.command_key
        for counter in counters().values()
        if counter.hq and counter.side is card.side
    }
    for selector in card.hq or ():
        if selector not in {"any", "us", "commonwealth", "joint"} | own_hqs:
            yield f"headquarters {selector} of the other side"
    if card.logistic is not None and card.logistic.base is not None:
        over = [value for value in card.logistic.by_hq.values() if value <= card.logistic.base]
        if over or not 0 <= card.logistic.base <= 20:
            yield "logistic value"


def check_reaction(card: Card) -> Iterator[str]:
    """Reaction cards do what their class says (5.32)."""
    if card.reaction_class == "weather" and not any(
        isinstance(s, CancelOffensive) for s in card.effects
    ):
        yield "weather cancels"
    losses = (StepLossRoll, Kamikaze, StepLoss)
    if card.reaction_class == "attack" and not any(isinstance(s, losses) for s in card.effects):
        yield "an attack costs steps"


def check_draw(card: Card) -> Iterator[str]:
    """The draw flag and the draw step agree (5.35)."""
    draws = [step.n for step in card.effects if isinstance(step, Draw)]
    if draws != ([1] if card.draw else []):
        yield "draw flag and step disagree"


def check_steps(card: Card) -> Iterator[str]:
    """Numbers inside the steps are in their ranges."""
    if not card.effects:
        yield "no effect"
    for step in card.effects:
        match step:
            case StepLossRoll():
                faces = [face for row in step.table for face in range(row.start, row.end + 1)]
                if faces != list(range(10)) or any(not 0 <= row.steps <= 2 for row in step.table):
                    yield "the roll table does not cover 0 to 9 once"
            case DieMod() if not -6 <= step.mod <= 6:
                yield "die modifier"
            case StrengthMod() if not (step.attack or step.defense):
                yield "a strength change of nothing"
            case China() if step.delta not in {-1, 1, 2}:
                yield "China marker"
            case PoliticalWill() if step.delta not in {-2, -1, 1, 8}:
                yield "Political Will"
            case _:
                pass
    if card.political_class == "war_in_europe" and not any(
        isinstance(s, WarInEurope) for s in card.effects
    ):
        yield "no step for the war in Europe"


def check_text(card: Card) -> Iterator[str]:
    """Every card has a title, a summary and notes."""
    if len(card.notes) < 40 or not card.summary or not card.title:
        yield "texts too short"


CHECKS: Final = (
    check_classes,
    check_intelligence,
    check_intel_step,
    check_offensive,
    check_reaction,
    check_draw,
    check_steps,
    check_text,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_cards_file_is_consistent(check: Check) -> None:
    assert {card.id: list(check(card)) for card in CARDS.values() if list(check(card))} == {}


def _change(name: str, **fields: object) -> Card:
    return msgspec.structs.replace(CARDS[CardId(name)], **fields)


@pytest.mark.parametrize(
    ("check", "card"),
    [
        pytest.param(check_classes, _change("J-3", type="reaction"), id="1.25-class"),
        pytest.param(check_intelligence, _change("J-3", oc_intel=9), id="7.26-value"),
        pytest.param(check_intel_step, _change("J-1", intelligence_locked=False), id="7.26-locked"),
        pytest.param(check_offensive, _change("J-3", logistic=None), id="7.21-no-logistic-value"),
        pytest.param(
            check_offensive, _change("J-3", hq=("us-hq-central-pacific",)), id="7.21-other-side"
        ),
        pytest.param(check_reaction, _change("J-64", effects=()), id="5.32-weather"),
        pytest.param(check_draw, _change("J-64", draw=0), id="5.35-draw"),
        pytest.param(check_steps, _change("J-64", effects=()), id="no-effect"),
        pytest.param(check_text, _change("J-64", notes=""), id="no-notes"),
    ],
)
def test_each_check_detects_an_error(check: Check, card: Card) -> None:
    assert list(check(card)) != []


class Op(msgspec.Struct, frozen=True):
    """An operation of the vocabulary."""

    meaning: str
    keys: tuple[str, ...]


class Vocabulary(msgspec.Struct, frozen=True):
    """Words that the cards may use."""

    ops: dict[str, Op]
    when: dict[str, str]
    conditions: dict[str, tuple[str, ...]]


class HqGroup(msgspec.Struct, frozen=True):
    """A headquarters as cards name it."""

    side: Side
    group: str
    units: tuple[str, ...]


class Meta(msgspec.Struct, frozen=True):
    """Head of the file."""

    vocabulary: Vocabulary
    hqs: dict[str, HqGroup]
    regions: tuple[str, ...]
    units: tuple[str, ...]
    open_points: dict[str, str]
    years: dict[str, tuple[int, ...]]


class Head(msgspec.Struct, frozen=True):
    """The part of the file apart from the cards."""

    meta: Meta


HEAD = decode(FILE, content(FILE), Head).meta


def test_every_operation_of_the_vocabulary_is_used() -> None:
    used = {step.op for card in CARDS.values() for step in card.effects}
    assert used == {*HEAD.vocabulary.ops}


def test_windows_match_the_vocabulary() -> None:
    used = {step.when.value for card in CARDS.values() for step in card.effects}
    assert used <= {*HEAD.vocabulary.when}


def test_open_points_exist() -> None:
    assert {point for card in CARDS.values() for point in card.open_points} <= {*HEAD.open_points}


def test_regions_and_units_in_the_head_exist() -> None:
    assert {*HEAD.regions} <= {*board().areas}
    assert {*HEAD.units} <= {*counters()}


def test_headquarters_groups_agree_with_the_counters() -> None:
    groups = {
        ActivationNation.US: "us",
        ActivationNation.COMMONWEALTH: "commonwealth",
        ActivationNation.JOINT: "joint",
        ActivationNation.JAPAN: "japan",
    }
    found: dict[str, list[str]] = {}
    for counter in counters().values():
        if counter.hq is not None:
            assert HEAD.hqs[counter.hq.command_key].group == groups[counter.activation_nation]
            assert HEAD.hqs[counter.hq.command_key].side is counter.side
            found.setdefault(counter.hq.command_key, []).append(counter.id)
    assert {key: sorted(units) for key, units in found.items()} == {
        key: sorted(group.units) for key, group in HEAD.hqs.items()
    }


def test_event_cards_name_the_units_they_bring_in() -> None:
    for counter in counters().values():
        event = counter.entry.event_card
        if event is not None:
            text = msgspec.json.encode(CARDS[event.id].effects).decode()
            assert f'"{counter.id}"' in text


READ_ELSEWHERE: Final = {
    "CancelOffensive": "whether an offensive is cancelled follows from the window of step 4 (5.32D)",
    "HqEfficiency": "J-18: efficiency along the Kwai railway goes with its marker (13.79)",
    "Supersede": "A-23, A-80: the markers that they set are conditions of the cards named (5.3)",
}
"""Steps that describe what another part of the rules does."""


def test_every_event_step_is_implemented() -> None:
    """A kind of step that only the vocabulary knows would be ignored silently (5.3)."""
    root = Path(deck_steps.__file__).parent
    read = {
        word
        for path in root.rglob("*.py")
        if not path.name.startswith("deck")
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    kinds = {type(step).__name__ for card in cards().values() for step in card.effects}
    assert len(kinds) > 40
    assert kinds - read == set(READ_ELSEWHERE)
