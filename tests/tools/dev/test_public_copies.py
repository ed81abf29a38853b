"""The public part of a command is the same on every copy, or the copy reports that it lacks a face."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from engine.kernel.dice import CardPile, Die, ScriptedDice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.qmg import ch09_looking
from engine.qmg.deck import CARD, CARDS
from engine.qmg.deck_steps import STEP_LISTS, DiscardEffect
from engine.qmg.events import CardsMoved
from engine.qmg.terms import Context
from engine.registry import AnyRuleset, ruleset
from tests.engine.card_games import (
    CARD_GAMES,
    GOLDEN_CASES,
    SCRIPTS,
    Moment,
    golden,
    random_cases,
    random_from,
    random_game,
    script,
    scripts,
)
from tests.engine.qmg.test_constructed import START as CONSTRUCTED
from tests.sizes import sampled, sized
from tools.dev.card_completion import DifferentRollError, LoggingDice
from tools.dev.public_copies import CopyResult, PublicCopyCounts, RedactedReplayDice, count, table

CASES = random_cases("first", "last")
HIDDEN_SHARE = {"eots": 0.01, "qmg": 0.1}
"""Maximum share of public commands whose results a copy cannot compute."""


def counted(rules: AnyRuleset, moments: Iterable[Moment]) -> PublicCopyCounts:
    found = PublicCopyCounts()
    for moment in moments:
        if moment.role is not None and moment.command is not None:
            line = f"{moment.seq}: {rules.notation.line(moment.command)}"
            heard = LoggingDice(moment.dice)
            count(
                found, rules, moment.role, moment.command, heard, moment.copies, moment.whole, line
            )
    return found


def faults(found: PublicCopyCounts) -> int:
    """Return the number of outcomes that differ without a :class:`HiddenError`."""
    return found.results.total() - sum(
        found.results[result] for result in (CopyResult.EQUAL, CopyResult.HIDDEN)
    )


def check(rules: AnyRuleset, found: PublicCopyCounts) -> None:
    assert faults(found) == 0, list(table(found))
    assert found.results[CopyResult.EQUAL]
    total = found.results.total()
    assert found.results[CopyResult.HIDDEN] < HIDDEN_SHARE[rules.game] * total, list(table(found))


@pytest.mark.full
@pytest.mark.parametrize("name", GOLDEN_CASES)
def test_public_commands_match_in_golden_games(name: str) -> None:
    rules = ruleset(name.partition("-")[0])
    found = counted(rules, golden(name))
    check(rules, found)
    assert found.public > found.commands * (0.9 if rules.game == "eots" else 0.3)


@pytest.mark.parametrize(("game", "scenario", "values"), sampled(CASES, 4))
def test_public_commands_match_in_random_games(game: str, scenario: str, values: str) -> None:
    rules = ruleset(game)
    for seed in range(sized(1, 2, 6)):
        moments = random_game(game, scenario, seed, sized(60, 1_500), values)
        assert faults(counted(rules, moments)) == 0


@pytest.mark.full
def test_public_commands_match_in_a_game_with_constructed_decks() -> None:
    rules = ruleset("qmg")
    found = counted(rules, random_from(rules, CONSTRUCTED, 1, sized(300, 1_500)))
    assert faults(found) == 0, list(table(found))
    assert found.results[CopyResult.EQUAL] > 100


@pytest.mark.full
@pytest.mark.parametrize("game", CARD_GAMES)
def test_public_commands_match_in_scripts(game: str) -> None:
    """Scripts try every card."""
    rules, found = ruleset(game), PublicCopyCounts()
    for path in sampled(scripts(game), 25):
        found.add(counted(rules, script(path)))
    assert faults(found) == 0, list(table(found))
    assert found.results[CopyResult.EQUAL] > found.results[CopyResult.HIDDEN]


SEARCH = SCRIPTS / "qmg" / "cards" / "de_tw_production_initiative.refused.script"
PLAY = SCRIPTS / "qmg" / "cards" / "de_tw_fall_weiss.build.script"
ATTRITION = SCRIPTS / "qmg" / "cards" / "su_tw_attrition.use.script"


def test_rule_that_treats_hidden_cards_as_absent_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This simulates a copy that continues without a question if it knows no card that is searched."""
    rules = ruleset("qmg")
    assert faults(counted(rules, script(SEARCH))) == 0
    is_wanted = ch09_looking._is_wanted
    monkeypatch.setattr(ch09_looking, "HIDDEN", "another word")
    monkeypatch.setattr(
        ch09_looking, "_is_wanted", lambda card, kind: card != HIDDEN and is_wanted(card, kind)
    )
    found = counted(rules, script(SEARCH))
    assert found.results[CopyResult.DIFFERENT] == faults(found) > 0
    assert any("different request play: " in line for line in table(found))


def test_rule_that_counts_only_known_cards_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset("qmg")
    assert faults(counted(rules, script(ATTRITION))) == 0

    def known(self: Context, kind: str) -> int:
        return sum(card != HIDDEN and CARD[card].type == kind for card in self.state.turn.discarded)

    monkeypatch.setattr(Context, "discarded_count", known)
    assert counted(rules, script(ATTRITION)).results[CopyResult.CHANCE] > 0


def test_refusal_that_depends_on_hidden_cards_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset("qmg")
    monkeypatch.setattr(type(rules), "with_hidden_card", lambda _self, state, *_: state)
    found = counted(rules, script(PLAY))
    assert found.results[CopyResult.REFUSED] == faults(found) > 0


def test_dice_reveal_card_faces_only_to_entitled_viewers() -> None:
    rules: Any = ruleset("qmg")
    own = CardPile(["uk_rationing#1", "uk_malta#1"], "uk", "deck")
    moved = CardsMoved(country="uk", cards=("uk_malta#1",), source="deck", to="hand")
    shown = msgspec.structs.replace(moved, shown=True)
    for event, viewer, face in (
        (moved, None, HIDDEN),
        (moved, Role("japan"), HIDDEN),
        (moved, Role("uk"), "uk_malta#1"),
        (shown, None, "uk_malta#1"),
    ):
        heard = LoggingDice(ScriptedDice(3, picks=["uk_malta#1"]))
        heard.roll(Die(1, 6))
        heard.pick(own)
        dice = RedactedReplayDice(rules, heard, [event], viewer)
        with pytest.raises(DifferentRollError, match="a different roll"):
            dice.roll(Die(4, 6))
        assert dice.roll(Die(1, 6)) == 3
        with pytest.raises(DifferentRollError, match="fewer"):
            dice.check_used_up()
        assert dice.pick(CardPile([HIDDEN] * 2, "uk", "deck")) == face
        dice.check_used_up()
    other = RedactedReplayDice(rules, heard, [moved], None)
    with pytest.raises(DifferentRollError, match="different pile"):
        other.pick(CardPile([HIDDEN] * 2, "uk", "deck", segment="deck-top"))


def test_only_costs_and_conditions_check_for_cards_of_a_type() -> None:
    """Only there is a hidden card assumed to be sufficient. Elsewhere a copy would diverge without an error."""
    for card in CARDS.values():
        for ability in card.abilities:
            if ability.condition is not None and ability.condition.has_card is not None:
                assert ability.kind == "play_alternative"
    asking = {
        name
        for name, steps in STEP_LISTS.items()
        for step in steps
        if b'"has_card":{' in msgspec.json.encode(step)
        or (isinstance(step, DiscardEffect) and step.card_types)
    }
    assert asking == {"su_tw_fortress_rebuilt:0c"} | {name for name in asking if name.endswith("c")}
