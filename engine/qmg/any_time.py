"""Commands that a country may give at any time: using certain cards and withdrawing pieces (4.2, 10.6)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.kernel.framed import FreeAction
from engine.kernel.ids import Refusal, Role, Rule
from engine.qmg import phrases
from engine.qmg.ch07_actions import own_removal_frame
from engine.qmg.ch10_answers import any_time_abilities, held_instance, is_usable
from engine.qmg.commands import QmgCommand, Use, Withdraw
from engine.qmg.deck import CARD
from engine.qmg.frames import (
    ConstructionFrame,
    HandDiscardFrame,
    LookFrame,
    RepositionFrame,
    SearchFrame,
    SetupFrame,
    UseFrame,
)
from engine.qmg.ids import KINDS, MINOR_FORCE
from engine.qmg.legal import piece_commands
from engine.qmg.run import Run
from engine.qmg.state import State
from engine.qmg.terms import full_context

_ATOMIC_STEP_FRAMES: Final = (
    ConstructionFrame,
    SetupFrame,
    HandDiscardFrame,
    SearchFrame,
    LookFrame,
    RepositionFrame,
)
"""While one of these frames is innermost, countries cannot use any-time cards or withdraw pieces (4.2, 9.6)."""


def _is_between_steps(state: State) -> bool:
    return (
        state.outcome is None
        and bool(state.frames)
        and not isinstance(state.frames[-1], _ATOMIC_STEP_FRAMES)
    )


class AnyTimeCommands(FreeAction[State, QmgCommand, Run]):
    """The any-time commands: using certain cards, and withdrawing a country's own pieces (4.2, 10.6)."""

    kinds = (Use, Withdraw)

    @override
    def options(self, state: State, role: Role) -> tuple[QmgCommand, ...]:
        if not _is_between_steps(state):
            return ()
        options: list[QmgCommand] = [Use(card=card) for card in any_time_cards(state, role)]
        forces = (role, MINOR_FORCE[role]) if role in MINOR_FORCE else (role,)
        for force in forces:
            for kind in KINDS:
                options += piece_commands(
                    Withdraw, force, kind, state.board.spaces_with(force, kind)
                )
        return tuple(options)

    @override
    def is_free_only(self, command: QmgCommand) -> bool:
        return isinstance(command, Withdraw)

    @override
    def apply(self, run: Run, role: Role, command: QmgCommand) -> None:
        if isinstance(command, Use):
            use_any_time_card(run, role, command.card)
            return
        assert isinstance(command, Withdraw), command
        run.push(own_removal_frame(run.state, command.force, command.piece, command.space, "own"))

    @override
    def refusals(self, state: State, role: Role, command: QmgCommand) -> Iterator[Refusal]:
        if not _is_between_steps(state):
            yield Refusal(Rule("9.6"), "a step is being carried out; wait until it ends")
        elif isinstance(command, Withdraw):
            yield Refusal(Rule("4.2"), "only your own pieces on the board may be taken off")
        elif not isinstance(command, Use) or command.card not in CARD:
            yield Refusal(Rule("10.4"), f"{phrases.force_name(role)} has no decision to make now")


def any_time_cards(state: State, country: str) -> Iterator[str]:
    """Yield the cards that a country may use at any time (10.6)."""
    context = full_context(state, country)
    for answer in any_time_abilities(is_total_war=state.total_war):
        if answer.country != country:
            continue
        trigger = answer.ability.trigger
        assert trigger is not None
        if trigger.event == "any_time_own_turn" and state.active != country:
            continue
        card = held_instance(state, answer)
        if card and is_usable(answer.ability, card, answer.type, context):
            yield card


def use_any_time_card(run: Run, country: str, card: str) -> None:
    """Use a card in the same way as a reaction, while the game waits for a decision (10.6)."""
    ability = next(
        candidate
        for candidate in CARD[card].abilities
        if candidate.trigger is not None and candidate.trigger.event.startswith("any_time")
    )
    run.push(UseFrame(country=country, card=card, ability=ability.number))
