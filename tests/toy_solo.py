"""The toy game with one role, red, against the system, which lays its card as soon as it can and rolls immediately.

Red does not know whether the system has laid a card. Red's copy does not even contain the kind of that event.
"""

import msgspec
from typing_extensions import override

from engine.kernel.decision import Outcome
from engine.kernel.dice import Dice
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from engine.kernel.ruleset import ScenarioInfo
from tests.toy_game import (
    BLUE,
    CHOOSE,
    RED,
    ROLL,
    ChoiceMade,
    ToyCommand,
    ToyEvent,
    ToyGame,
    ToyPosition,
    ToyState,
    ToyView,
    choose,
    known,
    roll,
)


class SoloToy(ToyGame):
    """The toy game against the system."""

    game = "solo"
    title = "Toy against the system"

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        return tuple(msgspec.structs.replace(each, roles=(RED,)) for each in super().scenarios())

    @override
    def open_game(self, position: ToyPosition, dice: Dice) -> tuple[ToyEvent, ...]:
        """Return the usual opening, and the first card of the system."""
        ledger = Ledger(self.initial_state(), self.evolve, dice)
        for event in super().open_game(position, dice):
            ledger.add(event)
        _system(ledger)
        return ledger.events

    @override
    def roles(self, state: ToyState) -> tuple[Role, ...]:
        return (RED,)

    @override
    def active_roles(self, state: ToyState) -> tuple[Role, ...]:
        return (RED,) if state.stage in {CHOOSE, ROLL} else ()

    @override
    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        """Carry out a command of red and the system's reaction."""
        super().resolve(ledger, role, command)
        if ledger.state.stage == ROLL and ledger.state.roller == BLUE:
            roll(ledger, BLUE)
        if ledger.state.stage == CHOOSE:
            _system(ledger)

    @override
    def outcome(self, state: ToyState) -> Outcome | None:
        """Return the outcome for red. The system can win, but is not a role."""
        found = super().outcome(state)
        if found is None or found.winner != BLUE:
            return found
        return msgspec.structs.replace(found, winner=None, is_lost=True)

    @override
    def project(self, state: ToyState, role: Role | None) -> ToyView:
        """Return what red or anyone else sees, which excludes whether the system is ready."""
        view = super().project(state, role)
        return msgspec.structs.replace(
            view, ready=tuple(each for each in view.ready if each == RED)
        )

    @override
    def redact(self, event: ToyEvent, role: Role | None) -> ToyEvent | None:
        """Return the event as red may see it, None for a card that the system lays."""
        if isinstance(event, ChoiceMade) and event.role == BLUE:
            return None
        return super().redact(event, role)


def _system(ledger: Ledger[ToyState, ToyEvent]) -> None:
    choose(ledger, BLUE, ledger.dice.pick(known(ledger.state.hands[BLUE])))


SOLO = SoloToy()
