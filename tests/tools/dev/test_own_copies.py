"""The share of commands in every game that each seat can decide on its own copy must not fall."""

import pytest

from engine.eots import hidden_cards as eots_keeping
from engine.kernel.dice import CardPile, Die, ScriptedDice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.qmg import hidden_cards as qmg_keeping
from engine.qmg.cards.zones import PileStep
from engine.registry import ruleset
from tests.golden_games.corpus import pins, read
from tests.sizes import sampled
from tools.dev.card_completion import DifferentRollError, GiversDice, LoggingDice
from tools.dev.own_copies import OwnCopyCounts, measure, table

NAMES = [name for name in sorted(pins()) if not name.startswith("cbps")]


QUICK = ("eots-1942-by-verb-mixed", "qmg-total-war-busy-free-first")
"""Games in which a seat once could not decide alone: an offered card and agreed cards; another role's discards."""
FULL = {*NAMES[::7], "eots-campaign-1941-greedy-mixed"}
"""The list includes a game with a random pick from the other side's cards, whose face decides what follows."""


@pytest.mark.parametrize(
    "name",
    sampled(
        [
            *QUICK,
            *(
                pytest.param(name, marks=pytest.mark.full if name in FULL else pytest.mark.nightly)
                for name in NAMES
                if name not in QUICK
            ),
        ],
        1,
    ),
)
def test_golden_game_commands_resolve_the_same_on_the_acting_seats_copy(
    name: str,
) -> None:
    header, records = read(name)
    found = measure(ruleset(header.game), header, records)
    assert found.commands == pins()[name].commands
    assert found.commands == found.matching, list(table(found))
    assert found.commands == found.filled, list(table(found))
    assert found.openings == found.matching_openings == found.openings_filled == 1
    assert found.picks
    assert found.witnessed > found.commands * (0.9 if header.game == "eots" else 0.8)


def test_dice_replay_only_what_the_acting_seat_can_know() -> None:
    own = CardPile(["J-1", "J-2"], "japan", "deck")
    other = CardPile(["A-1", "A-2"], "allied", "deck")
    seen = CardPile([HIDDEN, HIDDEN], "allied", "deck")
    shown = CardPile([HIDDEN, HIDDEN], "allied", "hand", is_shown=True)
    heard = LoggingDice(ScriptedDice(3, 4, picks=["J-2", "A-1", "A-2"]))
    heard.observe(["an event"])
    assert (heard.roll(Die(0, 9)), heard.roll(Die(0, 9))) == (3, 4)
    assert (heard.pick(own), heard.pick(other)) == ("J-2", "A-1")
    assert heard.pick(CardPile(other, "allied", "hand", is_shown=True)) == "A-2"
    assert [(pick.at, pick.index) for pick in heard.card_picks] == [(1, 1), (1, 0), (1, 1)]
    given = GiversDice(heard, Role("japan"))
    given.observe(["an event"])
    assert (given.roll(Die(0, 9)), given.roll(Die(0, 9))) == (3, 4)
    assert (given.pick(own), given.pick(seen), given.pick(shown)) == ("J-2", HIDDEN, "A-2")
    assert given.hidden == 1
    given.check_used_up()
    with pytest.raises(DifferentRollError):
        given.roll(Die(0, 9))
    with pytest.raises(DifferentRollError):
        given.pick(own)
    with pytest.raises(DifferentRollError):
        GiversDice(heard, None).check_used_up()
    early = GiversDice(heard, Role("japan"))
    with pytest.raises(DifferentRollError, match="a different pile"):
        early.pick(own)
    early.observe(["an event"])
    with pytest.raises(DifferentRollError, match="a different pile"):
        early.pick(shown)
    with pytest.raises(DifferentRollError):
        early.pick(["J-1", "J-2"])


@pytest.mark.parametrize("game", [pytest.param("eots", marks=pytest.mark.full), "qmg"])
def test_wrong_hidden_card_methods_are_detected(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is tested as if it were wrong."""
    header, records = read(next(name for name in QUICK if name.startswith(game)))
    records = records[:40]
    keeping = eots_keeping if game == "eots" else qmg_keeping
    rules, commands = ruleset(game), sum(record.kind == "command" for record in records)
    wrongs = {
        "complete_event": lambda _state, event, _picked: (event, 0),
        "secret_owner": lambda _event: None,
        "revealed_cards": lambda _event: (),
        "hidden_pile": lambda _state, _role, _place, *_: (),
    }
    for name, wrong in wrongs.items():
        with monkeypatch.context() as patch:
            patch.setattr(keeping, name, wrong)
            found = measure(rules, header, records)
        assert found.matching == commands, name
        assert found.filled + found.openings_filled < commands + 1, name
        assert {cause.kind for cause in found.causes} == {"filling"}, name
        assert found.causes.total() == commands + 1 - found.filled - found.openings_filled


@pytest.mark.full
def test_rule_that_depends_on_hidden_cards_of_another_role_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This simulates a copy that skips a step because it knows no card in another country's pile."""
    for name in ("_has_hidden_cards", "_may_contain_card"):
        monkeypatch.setattr(PileStep, name, lambda *_: False)
    header, records = read("qmg-total-war-busy-free-first")
    found = measure(ruleset(header.game), header, records)
    assert 0 < found.commands - found.matching == found.causes.total() < 5
    assert found.filled == found.matching
    assert {cause.kind for cause in found.causes} == {"differs"}
    lines = list(table(found))
    assert any("us_tw_our_philosophy_of_government" in line for line in lines)
    both = OwnCopyCounts()
    both.add(found)
    both.add(found)
    assert (both.commands, both.share) == (2 * found.commands, found.share)
