"""The order of battles (7.2 step 11, 7.27, OP-9, OPB-1, decision 9-a)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch09_battle.participants import is_vanished, offensive_of
from engine.eots.commands import EotsCommand, Resolve
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import BattleFrame, BattlesFrame
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule

RULE: Final = Rule("7.2")


def open_battles(state: State) -> tuple[HexId, ...]:
    """Return the battle hexes not yet resolved, in ascending order."""
    return tuple(
        at for at, battle in sorted(offensive_of(state).battles.items()) if not battle.resolved
    )


def next_battles(state: State) -> tuple[HexId, ...]:
    """Return the battles of which one is resolved next, in ascending order.

    Hexes into which units were switched go first (7.27); where nothing is left to fight, nobody need choose.
    """
    waiting = open_battles(state)
    empty = tuple(at for at in waiting if is_vanished(state, at))
    if empty:
        return empty[:1]
    battles = offensive_of(state).battles
    return tuple(at for at in waiting if battles[at].switched) or waiting


def check_resolve(state: State, at: HexId) -> Iterator[Refusal]:
    """Yield why a battle may not be resolved next (7.27)."""
    battle = offensive_of(state).battles.get(at)
    if battle is None:
        yield Refusal(Rule("7.24"), f"{at} is no battle hex")
    elif battle.resolved:
        yield Refusal(Rule("9.0"), f"the battle at {at} is over")
    elif at not in next_battles(state):
        yield Refusal(Rule("7.27"), f"{next_battles(state)[0]} comes first")


class BattlesHandler(Handler[BattlesFrame]):
    """Resolve all battles, one after the other."""

    frame = BattlesFrame

    def asked(self, state: State, frame: BattlesFrame) -> tuple[Side, ...]:
        """Ask the Offensive player when he has a choice."""
        del frame
        return (offensive_of(state).side,) if len(next_battles(state)) > 1 else ()

    def decision(self, state: State, frame: BattlesFrame, side: Side) -> EotsDecision:
        """Ask for the next battle; the lowest hex number is the default."""
        del frame
        options: tuple[EotsCommand, ...] = tuple(Resolve(at=at) for at in next_battles(state))
        return Decision(
            role=Role(side.value),
            rule=RULE,
            prompt="Choose the next battle to resolve",
            options=options,
            default=options[0],
        )

    def resolve(self, run: EotsRun, frame: BattlesFrame, side: Side, command: EotsCommand) -> None:
        """Open the battle."""
        del frame, side
        assert isinstance(command, Resolve)
        run.enter(BattleFrame(hex=command.at))

    def step(self, run: EotsRun, frame: BattlesFrame) -> None:
        """Open the only battle that can be next, or finish."""
        del frame
        waiting = next_battles(run.state)
        if waiting:
            run.enter(BattleFrame(hex=waiting[0]))
        else:
            run.leave()

    def why_not(
        self, state: State, frame: BattlesFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a battle."""
        del frame, side
        if isinstance(command, Resolve):
            yield from check_resolve(state, command.at)
        else:
            yield Refusal(RULE, "the next battle is being chosen now")


HANDLERS: Final = (BattlesHandler(),)
