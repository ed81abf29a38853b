"""The greedy player of Empire of the Sun beats a random player, wastes no activation and gives public reasons."""

from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from engine.bots.greedy_eots import GreedyEots
from engine.bots.player import last_reason
from engine.bots.random_player import RandomPlayer
from engine.eots import commands as orders
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import CardPlayFrame
from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.view import EotsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from tests.sizes import sampled, sized

MOST: int = 4_000
WINS = sized(1, 2, 12)


def dice(text: str, record: int = 0) -> DerivedDice:
    return DerivedDice(text.encode().ljust(32, b"."), record)


class Told:
    """One choice of the greedy player, with its circumstances."""

    def __init__(
        self,
        view: EotsView,
        decision: Decision[orders.EotsCommand],
        chosen: Command,
        why: str,
    ) -> None:
        self.view, self.decision, self.chosen, self.why = view, decision, chosen, why


class Game:
    """A game between greedy players in some seats and random players in the others, with its commands."""

    def __init__(self, scenario: str, seats: tuple[str, ...], seed: int, most: int = MOST) -> None:
        self.told: list[Told] = []
        self.units: dict[tuple[int, str], tuple[int, int]] = {}
        """Units activated in each offensive of the greedy player, and the units that moved or fought."""
        players: dict[Role, Any] = {
            Role(side): GreedyEots(dice(f"{side} {seed}"))
            if side in seats
            else RandomPlayer(dice(f"{side} {seed}"))
            for side in Side
        }
        state = EOTS.fold(
            EOTS.initial_state(), EOTS.open_game(EOTS.position(scenario, {}), dice(str(seed)))
        )
        for step in range(most):
            asked = EOTS.active_roles(state)
            if not asked:
                break
            view, decision = EOTS.project(state, asked[0]), EOTS.decision(state, asked[0])
            player = players[asked[0]]
            self._count(view, seats)
            chosen = player.choose(view, decision)
            assert chosen in decision.options
            if isinstance(player, GreedyEots):
                self.told.append(Told(view, decision, chosen, last_reason(player)))
            state = EOTS.fold(
                state, EOTS.decide(state, asked[0], chosen, dice(str(seed), step + 1))
            )
        self.outcome = EOTS.outcome(state)

    def _count(self, view: EotsView, seats: tuple[str, ...]) -> None:
        now = view.offensive
        if now is None or now.side not in seats or now.step < 6:
            return
        at = {unit.id: unit.at for unit in view.units}
        used = [
            unit
            for unit in now.activated
            if unit in now.paths
            or unit in now.joined
            or unit in now.covers
            or at[unit] in now.battles
        ]
        self.units[view.turn, now.card] = (len(now.activated), len(used))


@cache
def game(scenario: str, seats: tuple[str, ...], seed: int, most: int = MOST) -> Game:
    """Return a game. Each game is played only once."""
    return Game(scenario, seats, seed, most)


@pytest.mark.full
@pytest.mark.parametrize("scenario", ["south-pacific", "1943"])
@pytest.mark.parametrize("side", list(Side))
def test_beats_the_random_player(scenario: str, side: Side) -> None:
    for seed in range(1, WINS + 1):
        outcome = game(scenario, (side,), seed).outcome
        assert outcome is not None
        assert outcome.winner == Role(side), (seed, outcome.reason)


@pytest.mark.full
def test_first_campaign_turn_exploits_j_2() -> None:
    """17.11: J-2 activates many units for several goals at once, including goals that only surprise makes possible."""
    first = game("campaign-1941", tuple(Side), 1, 110)
    activated = [
        told.chosen.unit
        for told in first.told
        if isinstance(told.chosen, orders.Activate)
        and told.view.offensive is not None
        and told.view.offensive.card == "J-2"
    ]
    assert len(activated) >= 12
    landed = {told.chosen.to for told in first.told if isinstance(told.chosen, orders.Assault)}
    assert len(landed) >= 3
    assert "2813" in landed  # Manila


@pytest.mark.full
@pytest.mark.parametrize("side", list(Side))
def test_activates_only_units_that_move_or_fight(side: Side) -> None:
    """7.21: activated units move or fight, apart from a few that zones or the enemy hold back."""
    counts = [row for seed in (1, 2) for row in game("1943", (side,), seed).units.values()]
    activated, used = (sum(column) for column in zip(*counts, strict=True))
    assert activated > 20
    assert used * 100 >= activated * 85, (activated, used)


@pytest.mark.full
@pytest.mark.parametrize("side", sampled(list(Side), 1))
def test_reasons_reveal_no_hidden_cards(side: Side) -> None:
    """A reason is one short sentence and names only cards that are being played openly (5.0, 7.29)."""
    told = game("1943", (side,), 1).told
    reasons = [each for each in told if each.why]
    assert reasons
    for each in reasons:
        assert each.why.endswith(".")
        assert each.why.count(". ") == 0
        assert len(each.why) < 160
        open_card = getattr(each.chosen, "card", None)
        for card in cards().values():
            if card.id != open_card:
                assert card.id not in each.why.split()
                assert card.title not in each.why
    hidden = [each for each in told if isinstance(each.chosen, orders.PlaceFuture | orders.Pass)]
    assert not any(each.why for each in hidden)


@pytest.mark.parametrize("side", sampled(list(Side), 1))
def test_reason_for_an_open_play_does_not_depend_on_the_rest_of_the_hand(side: Side) -> None:
    """The same open play gets the same reason, whatever other cards are in the hand (1.21)."""
    compared = 0
    for each in game("south-pacific", (side,), 1).told:
        if not isinstance(each.view.frames[-1], CardPlayFrame) or not each.why:
            continue
        others = (o for o in each.decision.options if isinstance(o, orders.DiscardCard))
        decision: Any = replace(each.decision, options=(each.chosen, *others), default=each.chosen)
        player = GreedyEots(dice("again"))
        view = replace(each.view, hand=(), future=None, unseen=(), locked=())
        if len(decision.options) > 1 and player.choose(view, decision) == each.chosen:
            compared += 1
            assert last_reason(player) == each.why
    assert compared


@pytest.mark.full
def test_never_withdraws_a_headquarters() -> None:
    """6.13: a side without an HQ on the map cannot command, and loses the South Pacific (17.10.7)."""
    for side in Side:
        for told in game("south-pacific", (side,), 2).told:
            assert not isinstance(told.chosen, orders.WithdrawHq)
            assert all(unit.id in counters() for unit in told.view.units)
