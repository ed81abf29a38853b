"""No copy accepts a match whose game cannot be dealt by its seats."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role, Rule
from engine.registry import ruleset
from saves.errors import FairPlayError
from saves.fair.setup import match_setup
from saves.verify import verify_file
from tests.netplay.fair.match import FairMatch


class Peeking(type(ruleset("eots"))):  # type: ignore[misc]  # the class is not known by name here
    """A game with a rule by which one player sees a hidden card of another."""

    peek_rule = Rule("5.99")


class SharedCup(type(ruleset("eots"))):  # type: ignore[misc]  # likewise
    """A game whose players draw from one deck."""

    def decks(self) -> dict[Role, tuple[str, ...]]:
        cup = tuple(card for deck in super().decks().values() for card in deck)
        return dict.fromkeys(super().decks(), cup)


@pytest.mark.parametrize(
    ("game", "problem"), [(Peeking, "under rule 5.99"), (SharedCup, "needs one owner")]
)
def test_header_of_a_game_that_seats_cannot_deal_is_refused(
    game: type, problem: str, tmp_path: Path
) -> None:
    match = FairMatch("eots", "south-pacific", seed=1)
    rules = game()
    with pytest.raises(FairPlayError, match=problem) as caught:
        match_setup(rules, match.header)
    assert not caught.value.role, "no seat is at fault"
    match.start()
    path = tmp_path / "copy.fplog"
    match.record_files[None].write(path)
    verdict = verify_file(path, rules)
    assert verdict.status == "false"
    assert problem in str(verdict.finding)


@pytest.mark.parametrize("game", [Peeking, SharedCup])
def test_host_may_deal_a_game_that_seats_cannot_deal(game: type) -> None:
    match = FairMatch("eots", "south-pacific", seed=1, deals=False)
    assert not match_setup(game(), match.header).deals
