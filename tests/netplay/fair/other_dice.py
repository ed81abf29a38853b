"""A dealer with other dice than those of the match."""

from engine.kernel.dice import DerivedDice
from saves.fair.dealer import Dealer
from saves.fair.messages import Proposal
from saves.fair.state import FairState


class OtherDice:
    """Lets a dealer propose what other dice make of a command than those of reveals and secret."""

    def __init__(self, made: Dealer) -> None:
        self.count = 0
        """Proposals that differ from the right ones."""
        self._made = made
        self._right = made.proposal
        made.proposal = self._proposal  # type: ignore[method-assign]

    def _proposal(self, state: FairState) -> Proposal:
        made, right = self._made, self._right(state)
        assert state.pending is not None
        roll = made._dice
        for key in range(20 if state.pending.throws else 0):
            made._dice = lambda pending, key=key: DerivedDice(bytes([key]) * 32, pending.number)  # type: ignore[method-assign,misc]
            made._anchor = b""
            false = self._right(state)
            if false != right:
                self.count += 1
                break
        else:
            false = right
        made._dice = roll  # type: ignore[method-assign]
        return false

    def stop(self) -> None:
        """Let the dealer propose what is right."""
        self._made.proposal = self._right  # type: ignore[method-assign]
        self._made._anchor = b""
