"""The Supply and Discard steps (6.6, 8.4)."""

from collections.abc import Iterator

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg.atlas import SPACE_IDS, bits
from engine.qmg.ch07_actions import is_on_board
from engine.qmg.ch09_cards import copies_once, rightmost
from engine.qmg.commands import (
    Discard,
    Done,
    QmgCommand,
    Remove,
)
from engine.qmg.events import (
    VpChanged,
)
from engine.qmg.field import field
from engine.qmg.frames import (
    DiscardStepFrame,
    RemovalFrame,
    SupplyStepFrame,
)
from engine.qmg.ids import (
    ARMY,
    MINOR,
    NAVY,
    TEAM_OF,
)
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State


def unsupplied(state: State, country: str) -> tuple[str, ...]:
    """Return the pieces that the Supply step of a country removes, as ``force:piece:space`` (6.6)."""
    now = field(state)
    forces = (country, MINOR[country]) if state.total_war and country in MINOR else (country,)
    found: list[str] = []
    for force in forces:
        army, navy = now.supplied(force)
        for kind, good in ((ARMY, army), (NAVY, navy)):
            left = now.board.of(force, kind) & ~good
            found += [f"{force}:{kind}:{SPACE_IDS[at]}" for at in bits(left)]
    return tuple(sorted(found, key=lambda piece: piece.rsplit(":", 1)[1]))


class SupplyStepHandler(Handler[SupplyStepFrame]):
    """Removes what was out of supply when the step began (6.6)."""

    frame = SupplyStepFrame

    def go(self, run: Run, frame: SupplyStepFrame) -> bool:
        """Remove the last piece without a question; ask for the order of several."""
        left = tuple(piece for piece in frame.left if self._is_there(run.state, piece))
        if not left:
            run.leave()
            return True
        if len(left) > 1:
            if left != frame.left:
                run.replace(replace(frame, left=left))
            return False
        self._remove(run, frame, left[0])
        return True

    def _is_there(self, state: State, piece: str) -> bool:
        force, kind, space = piece.split(":")
        return is_on_board(state.board, force, kind, space)

    def _remove(self, run: Run, frame: SupplyStepFrame, piece: str) -> None:
        force, kind, space = piece.split(":")
        run.replace(replace(frame, left=tuple(one for one in frame.left if one != piece)))
        run.enter(
            RemovalFrame(
                owner=force,
                piece=kind,
                space=space,
                by=frame.country,
                cause=TEAM_OF[frame.country],
                why="supply",
            )
        )

    def asked(self, state: State, frame: SupplyStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(self, state: State, frame: SupplyStepFrame, role: str) -> QmgDecision:
        """Ask which piece goes next; the default is by space id."""
        options: list[QmgCommand] = []
        for piece in frame.left:
            force, kind, space = piece.split(":")
            options.append(Remove(force=force, piece=kind, space=space))
        return question(role, "6.6", "Out of supply: which piece goes next?", options, options[0])

    def resolve(self, run: Run, frame: SupplyStepFrame, role: str, command: QmgCommand) -> None:
        """Remove the piece."""
        assert isinstance(command, Remove), command
        self._remove(run, frame, f"{command.force}:{command.piece}:{command.space}")

    def why_not(
        self,
        state: State,
        frame: SupplyStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what the step removes."""
        yield Refusal(Rule("6.6"), "only the pieces that are out of supply are removed now")


class DiscardStepHandler(Handler[DiscardStepFrame]):
    """Any number of hand cards; with Total War at least one, or 1 VP (8.4, 18.13)."""

    frame = DiscardStepFrame

    def go(self, run: Run, frame: DiscardStepFrame) -> bool:
        """Ask while there are hand cards."""
        if run.state.cards_of(frame.country).hand and frame.count >= 0:
            return False
        must = run.state.total_war and not run.state.limits
        if must and not run.state.turn.discarded:
            run.add(VpChanged(team=TEAM_OF[frame.country], amount=-1, why="discard-step"))
        run.leave()
        return True

    def asked(self, state: State, frame: DiscardStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(self, state: State, frame: DiscardStepFrame, role: str) -> QmgDecision:
        """Ask for a card or the end; the default is none, with Total War the rightmost card."""
        hand = state.cards_of(role).hand
        options: list[QmgCommand] = [Discard(card=card) for card in copies_once(hand)]
        must = state.total_war and not state.limits and not frame.count
        price = " (none costs 1 VP)" if must else ""
        return question(
            role,
            "8.4",
            f"Discard step: discard cards from hand{price}",
            [*options, Done()],
            Discard(card=rightmost(hand)) if must else None,
        )

    def resolve(self, run: Run, frame: DiscardStepFrame, role: str, command: QmgCommand) -> None:
        """Discard the card, or end the step."""
        if isinstance(command, Done):
            run.replace(replace(frame, count=-1))
            return
        assert isinstance(command, Discard), command
        run.move(role, command.card, "hand", "discard-bottom", why="discard-step")
        run.replace(replace(frame, count=frame.count + 1))

    def why_not(
        self,
        state: State,
        frame: DiscardStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what the step is for."""
        yield Refusal(Rule("8.4"), "the Discard step takes cards of the own hand, one at a time")
