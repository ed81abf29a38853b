"""The toy game in a form that a match of protocol 7 can play: the kind of each command and event is public.

The toy game itself hides whether a role lays a card or holds by hiding the whole command, and its golden records stay
as they are. Here both have one public form, with ``HIDDEN`` in place of the card.
"""

import msgspec
from typing_extensions import override

from engine.kernel.errors import HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from tests.toy_game import (
    CHOOSE,
    CardDrawn,
    CardId,
    CardSwapped,
    ChoiceMade,
    Hold,
    Lay,
    Swap,
    ToyCommand,
    ToyEvent,
    ToyGame,
    ToyState,
)

_CARD = CardId(HIDDEN)


class SealedToy(ToyGame):
    """The toy game with public forms of everything that is hidden."""

    version = 2
    hidden_entry_bytes = 64

    @override
    def redact(self, event: ToyEvent, role: Role | None) -> ToyEvent | None:
        """Return the event as a role may see it, with its kind."""
        seen = super().redact(event, role)
        match seen:
            case CardDrawn(card=None) | CardSwapped(card=None):
                return msgspec.structs.replace(seen, card=_CARD)
            case ChoiceMade(choice=None):
                return msgspec.structs.replace(seen, choice=HIDDEN)
            case _:
                return seen

    @override
    def redact_command(
        self, command: ToyCommand, giver: Role, role: Role | None
    ) -> ToyCommand | None:
        """Show that a role chooses, but not whether it lays a card or holds."""
        if giver == role:
            return command
        if isinstance(command, Lay | Hold):
            return Lay(card=_CARD)
        return Swap(card=_CARD) if isinstance(command, Swap) else command

    @override
    def secret_owner(self, event: ToyEvent) -> Role | None:
        return event.role if isinstance(event, CardDrawn | CardSwapped | ChoiceMade) else None

    @override
    def evolve(self, state: ToyState, event: ToyEvent) -> ToyState:
        """Return the state after an event, of which this copy may know only the public form."""
        match event:
            case CardDrawn() | CardSwapped() if event.card == HIDDEN:
                return super().evolve(state, msgspec.structs.replace(event, card=None))
            case ChoiceMade(choice=choice) if choice == HIDDEN:
                return super().evolve(state, msgspec.structs.replace(event, choice=None))
            case _:
                return super().evolve(state, event)

    @override
    def is_option(self, state: ToyState, role: Role, command: ToyCommand) -> bool:
        """Return whether a command is an option. A copy that does not see the card cannot decide this.

        Raises:
            HiddenError: The card is hidden, and one of the hand may be it.
        """
        is_choice = isinstance(command, Lay) and state.stage == CHOOSE
        is_swap = isinstance(command, Swap) and state.stage != CHOOSE and not state.swapped
        if isinstance(command, Lay | Swap) and command.card == HIDDEN:
            if is_choice or (is_swap and state.hands[role]):
                raise HiddenError("the card lies face down")
            return False
        return super().is_option(state, role, command)


SEALED_TOY = SealedToy()
