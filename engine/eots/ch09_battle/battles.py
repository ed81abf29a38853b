"""The order in which battles are resolved (7.2 step 11, 7.27, OP-9, OPB-1, decision 9-a)."""

from collections.abc import Iterator

from typing_extensions import override

from engine.eots.ch09_battle.participants import has_no_attackers
from engine.eots.commands import Resolve
from engine.eots.flow import DecisionHandler, EotsRun, Naming
from engine.eots.frames import BattleFrame, BattlesFrame
from engine.eots.ids import HexId, Side
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule


def open_battles(state: State) -> tuple[HexId, ...]:
    """Return the hexes of unresolved battles, in ascending order."""
    return tuple(
        hex_id
        for hex_id, battle in sorted(current_offensive(state).battles.items())
        if not battle.resolved
    )


def next_battles(state: State) -> tuple[HexId, ...]:
    """Return the hexes of the battles that may be resolved next, in ascending order.

    Battles that special reaction has joined come first (7.27). A battle without Offensive units is resolved
    automatically.
    """
    waiting_battles = open_battles(state)
    without_attackers = tuple(
        hex_id for hex_id in waiting_battles if has_no_attackers(state, hex_id)
    )
    if without_attackers:
        return without_attackers[:1]
    battles = current_offensive(state).battles
    return (
        tuple(hex_id for hex_id in waiting_battles if battles[hex_id].switched) or waiting_battles
    )


def _next_refusals(
    state: State, _frame: BattlesFrame, _side: Side, hex_id: HexId
) -> Iterator[Refusal]:
    """Yield the reasons why a battle may not be resolved next (7.27)."""
    battle = current_offensive(state).battles.get(hex_id)
    if battle is None:
        yield Refusal(Rule("7.24"), f"{hex_id} is not a battle hex")
    elif battle.resolved:
        yield Refusal(Rule("9.0"), f"the battle at {hex_id} is already over")
    elif hex_id not in next_battles(state):
        yield Refusal(Rule("7.27"), f"{next_battles(state)[0]} comes first")


class BattlesHandler(DecisionHandler[BattlesFrame]):
    """Lets the Offensive player choose the order of the battles. By default, they are resolved in hex-number order."""

    frame = BattlesFrame
    rule = Rule("7.2")
    actions = (
        Naming(
            Resolve,
            lambda state, _frame, _side: next_battles(state),
            _next_refusals,
            lambda run, _frame, _side, hex_id: run.push(BattleFrame(hex=hex_id)),
        ),
    )
    question = "Choose the next battle to resolve"
    wrong_kind_text = "choose the next battle first"

    @override
    def active_roles(self, state: State, frame: BattlesFrame) -> tuple[Side, ...]:
        """Return the Offensive player; empty if there is no choice."""
        return (current_offensive(state).side,) if len(next_battles(state)) > 1 else ()

    @override
    def step(self, run: EotsRun, frame: BattlesFrame) -> None:
        """Begin the only battle that can be resolved next. If there is no battle left, finish."""
        waiting_battles = next_battles(run.state)
        if waiting_battles:
            run.push(BattleFrame(hex=waiting_battles[0]))
        else:
            run.pop()
