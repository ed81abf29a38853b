"""Looks up the standing orders of the people at a screen, and the answers that these orders give."""

from collections.abc import Callable

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset, AnyState
from play.standing_orders import OrderBook


class OrderBooks:
    """Gives access to the standing orders of each person at this screen."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        shown_role: Callable[[], Role | None],
        state: Callable[[], AnyState],
        book_of: Callable[[Role | None], OrderBook],
    ) -> None:
        """Look up roles, states and order books with the given functions.

        Args:
            ruleset: The game's rules.
            shown_role: Returns the role on display.
            state: Returns the state of the actual game. Drafts are ignored.
            book_of: Returns the standing orders of the person who plays a role. None stands for a spectator.
        """
        self._ruleset = ruleset
        self._shown_role = shown_role
        self._state = state
        self._book_of = book_of

    @property
    def shown(self) -> OrderBook:
        """Return the standing orders of the person at the screen."""
        return self._book_of(self._shown_role())

    def change(self, text: str) -> tuple[str, ...]:
        """Change the screen user's orders if the text is not empty. Return the orders in words.

        Raises:
            FlagplotError: The text is not an order, or the order cannot be saved.
        """
        turn = self._ruleset.turn_name(self._state())
        if text:
            self.shown.change(text, turn)
        return self.shown.orders.descriptions(turn)

    def answer(self, state: AnyState, role: Role) -> Command | None:
        """Return the standing orders' answer to the window that is open for a role; None if they do not answer it."""
        if role not in self._ruleset.active_roles(state):
            return None
        decision = self._ruleset.decision(state, role)
        if not decision.allows_standing_order:
            return None
        turn = self._ruleset.turn_name(state)
        return self._book_of(role).orders.answer(decision, self._ruleset.notation, turn)
