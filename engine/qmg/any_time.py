"""What a country may do though nobody asks it: any-time cards, and taking own pieces off (4.2, 10.6)."""

from collections.abc import Iterator
from typing import Final

from engine.kernel.ids import Refusal, Rule
from engine.qmg.atlas import SPACE_IDS, bits
from engine.qmg.ch08_turn import any_time_cards, use_any_time, withdraw
from engine.qmg.ch10_windows import why_no_use
from engine.qmg.commands import QmgCommand, Use, Withdraw
from engine.qmg.deck import CARD
from engine.qmg.frames import (
    ConstructionFrame,
    HandDiscardFrame,
    LookFrame,
    RepositionFrame,
    SearchFrame,
    SetupFrame,
)
from engine.qmg.ids import KINDS, MINOR
from engine.qmg.run import Run
from engine.qmg.state import State

_INSIDE_A_STEP: Final = (
    ConstructionFrame,
    SetupFrame,
    HandDiscardFrame,
    SearchFrame,
    LookFrame,
    RepositionFrame,
)
"""Questions within an atomic step (4.2, 9.6)."""


def is_any_time(command: QmgCommand) -> bool:
    """Return whether a command is of a kind that may come unasked."""
    return isinstance(command, Use | Withdraw)


def _is_between_steps(state: State) -> bool:
    return (
        state.outcome is None
        and bool(state.frames)
        and not isinstance(state.frames[-1], _INSIDE_A_STEP)
    )


def any_time_commands(state: State, country: str) -> tuple[QmgCommand, ...]:
    """Return what a country may do now without being asked."""
    if not _is_between_steps(state):
        return ()
    found: list[QmgCommand] = [Use(card=card) for card in any_time_cards(state, country)]
    forces = (country, MINOR[country]) if country in MINOR else (country,)
    for force in forces:
        for kind in KINDS:
            found += [
                Withdraw(force=force, piece=kind, space=SPACE_IDS[at])
                for at in bits(state.board.of(force, kind))
            ]
    return tuple(found)


def carry_out(run: Run, country: str, command: QmgCommand) -> None:
    """Carry out a command that nobody asked for."""
    if isinstance(command, Use):
        use_any_time(run, country, command.card)
        return
    assert isinstance(command, Withdraw), command
    withdraw(run, command.force, command.piece, command.space)


def why_not_any_time(state: State, country: str, command: QmgCommand) -> Iterator[Refusal]:
    """Yield why a country that is not asked cannot give a command."""
    if not _is_between_steps(state):
        yield Refusal(Rule("9.6"), "a step is being carried out; wait for its end")
    elif isinstance(command, Use) and command.card in CARD:
        yield from why_no_use(state, country, command.card, None)
    elif isinstance(command, Withdraw):
        yield Refusal(Rule("4.2"), "only own pieces on the board may be taken off")
    else:
        yield Refusal(Rule("10.4"), f"{country} has no decision to make now")
