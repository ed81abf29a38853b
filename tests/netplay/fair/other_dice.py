"""A dealer whose dice differ from the match's."""

from engine.kernel.dice import DerivedDice
from saves.fair.dealer import Dealer
from saves.fair.messages import Proposal
from saves.fair.state import FairState


class OtherDice:
    """Makes a dealer propose the results of other dice than the ones derived from the reveals and the secret."""

    def __init__(self, made: Dealer) -> None:
        self.count = 0
        """Number of proposals that differ from the right ones."""
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
        """Let the dealer make the right proposals again."""
        self._made.proposal = self._right  # type: ignore[method-assign]
        self._made._anchor = b""
