"""What each seat can decide on its own copy is a share of every game that must not fall."""

import pytest

from engine.kernel.dice import Die, ScriptedDice
from engine.kernel.hidden import HIDDEN
from engine.qmg.cards.zones import PileStep
from engine.registry import ruleset
from tests.golden_games.corpus import pins, read
from tools.dev.own_copies import (
    GivenDice,
    HeardDice,
    Measure,
    OtherChanceError,
    measure,
    table,
)

NAMES = [name for name in sorted(pins()) if not name.startswith("cbps")]


QUICK = ("eots-1942-by-verb-mixed", "qmg-total-war-busy-free-first")
"""Games in which a seat once could not decide alone: an offered card and cards agreed on; another's discards."""
FULL = {*NAMES[::7], "eots-campaign-1941-greedy-mixed"}
"""With one in which chance takes a card of the other side, whose face decides what follows."""


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(
            pytest.param(name, marks=pytest.mark.full if name in FULL else pytest.mark.nightly)
            for name in NAMES
            if name not in QUICK
        ),
    ],
)
def test_golden_games_come_out_alike_on_the_copies_of_those_who_give_the_commands(
    name: str,
) -> None:
    header, records = read(name)
    found = measure(ruleset(header.game), header, records)
    assert found.commands == pins()[name].commands
    assert found.commands == found.alike, list(table(found))
    assert found.openings == found.openings_alike == 1
    assert found.witnessed > found.commands * (0.9 if header.game == "eots" else 0.8)


def test_dice_give_again_what_a_copy_can_know() -> None:
    heard = HeardDice(ScriptedDice(3, 4, picks=["J-1", "A-1"]))
    assert (heard.roll(Die(0, 9)), heard.roll(Die(0, 9))) == (3, 4)
    assert (heard.pick(["J-1", "J-2"]), heard.pick(["A-1", "A-2"])) == ("J-1", "A-1")
    given = GivenDice(heard)
    assert (given.roll(Die(0, 9)), given.roll(Die(0, 9))) == (3, 4)
    assert given.pick(["J-1", "J-2"]) == "J-1"
    assert given.pick([HIDDEN, HIDDEN]) == HIDDEN
    assert given.hidden == 1
    given.check_used_up()
    with pytest.raises(OtherChanceError):
        given.roll(Die(0, 9))
    with pytest.raises(OtherChanceError):
        given.pick([HIDDEN])
    with pytest.raises(OtherChanceError):
        GivenDice(heard).check_used_up()
    other = GivenDice(heard)
    with pytest.raises(OtherChanceError):
        other.pick(["J-2", "J-3"])


def test_a_rule_that_rests_on_cards_of_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a copy passed over a step because it knows no card in the pile of another country."""
    monkeypatch.setattr(PileStep, "_is_unknown", lambda *_: False)
    header, records = read("qmg-total-war-busy-free-first")
    found = measure(ruleset(header.game), header, records)
    assert 0 < found.commands - found.alike == found.causes.total() < 5
    assert {cause.kind for cause in found.causes} == {"differs"}
    lines = list(table(found))
    assert any("us_tw_our_philosophy_of_government" in line for line in lines)
    both = Measure()
    both.add(found)
    both.add(found)
    assert (both.commands, both.share) == (2 * found.commands, found.share)
