"""The Supply and Discard steps (6.6, 8.4)."""

from collections.abc import Iterator

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg.board_analysis import board_analysis
from engine.qmg.ch07_actions import removal_frame
from engine.qmg.ch09_cards import last_distinct_card, unique_copies
from engine.qmg.commands import Discard, Done, QmgCommand, Remove
from engine.qmg.events import VpChanged
from engine.qmg.frames import DiscardStepFrame, SupplyStepFrame
from engine.qmg.ids import MINOR_FORCE, TEAM_BY_FORCE
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run
from engine.qmg.state import State


def unsupplied_pieces(state: State, country: str) -> tuple[str, ...]:
    """Return the pieces that a country's Supply step removes, in the form ``force:piece:space`` (6.6)."""
    analysis = board_analysis(state)
    forces = (
        (country, MINOR_FORCE[country])
        if state.total_war and country in MINOR_FORCE
        else (country,)
    )
    pieces = [
        f"{force}:{kind}:{space}"
        for force in forces
        for kind, space in analysis.unsupplied_pieces(force)
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.rsplit(":", 1)[1]))


class RemoveUnsupplied(ListedAction[SupplyStepFrame, Remove]):
    """Remove a piece that was out of supply when the step began (6.6)."""

    kind = Remove
    refusal = Refusal(Rule("6.6"), "only the pieces that are out of supply are removed now")

    @override
    def candidates(self, state: State, frame: SupplyStepFrame, role: str) -> Iterator[Remove]:
        for piece in frame.left:
            force, kind, space = piece.split(":")
            yield Remove(force=force, piece=kind, space=space)

    @override
    def apply(self, run: Run, frame: SupplyStepFrame, role: str, command: Remove) -> None:
        """Remove the piece. Some cards can prevent this removal (18.17)."""
        piece = f"{command.force}:{command.piece}:{command.space}"
        run.replace_top(
            replace(
                frame, left=tuple(other_piece for other_piece in frame.left if other_piece != piece)
            )
        )
        owner, remover = command.force, frame.country
        run.push(removal_frame(run.state, owner, command.piece, command.space, remover, "supply"))


class SupplyStepHandler(CountryQuestion[SupplyStepFrame]):
    """Removes the pieces that were out of supply when the step began (6.6)."""

    frame = SupplyStepFrame
    rule = Rule("6.6")
    question = "Out of supply: which piece goes next?"
    wrong_kind_text = RemoveUnsupplied.refusal.text
    actions = (RemoveUnsupplied(),)

    @override
    def try_step(self, run: Run, frame: SupplyStepFrame) -> bool:
        """Remove a single piece automatically. If several pieces are left, ask which one is removed next."""
        pieces_left = tuple(
            piece for piece in frame.left if self._is_still_there(run.state, frame, piece)
        )
        if not pieces_left:
            run.pop()
            return True
        if pieces_left != frame.left:
            frame = replace(frame, left=pieces_left)
            run.replace_top(frame)
        if len(pieces_left) > 1:
            return False
        self.resolve(run, frame, frame.country, *self.options(run.state, frame, frame.country))
        return True

    def _is_still_there(self, state: State, frame: SupplyStepFrame, piece: str) -> bool:
        force, kind, space = piece.split(":")
        return state.is_still_there((force, kind, space), frame.departed.count(piece))


class DiscardInStep(ListedAction[DiscardStepFrame, Discard]):
    """Discard a card from hand (8.4)."""

    kind = Discard
    refusal = Refusal(
        Rule("8.4"), "in the Discard step, you discard cards from your own hand, one at a time"
    )

    @override
    def candidates(self, state: State, frame: DiscardStepFrame, role: str) -> list[Discard]:
        """Return a discard command for each card in hand. Identical cards are listed once."""
        return [Discard(card=card) for card in unique_copies(state.cards_of(role).hand)]

    @override
    def apply(self, run: Run, frame: DiscardStepFrame, role: str, command: Discard) -> None:
        run.move_card(role, command.card, "hand", "discard-bottom", reason="discard-step")
        run.replace_top(replace(frame, count=frame.count + 1))


class EndDiscards(PlainAction[DiscardStepFrame, Done]):
    """Stop discarding (8.4)."""

    @override
    def apply(self, run: Run, frame: DiscardStepFrame, role: str, command: Done) -> None:
        run.replace_top(replace(frame, count=-1))


class DiscardStepHandler(CountryQuestion[DiscardStepFrame]):
    """The country discards any number of cards from hand. In Total War, discarding no card costs 1 VP (8.4, 18.13)."""

    frame = DiscardStepFrame
    rule = Rule("8.4")
    wrong_kind_text = DiscardInStep.refusal.text
    actions = (DiscardInStep(), EndDiscards(Done))

    @override
    def try_step(self, run: Run, frame: DiscardStepFrame) -> bool:
        if run.state.cards_of(frame.country).hand and frame.count >= 0:
            return False
        if self._must_discard(run.state) and not run.state.turn.discarded:
            run.add(VpChanged(team=TEAM_BY_FORCE[frame.country], amount=-1, why="discard-step"))
        run.pop()
        return True

    def _must_discard(self, state: State) -> bool:
        """Return whether discarding no card costs 1 VP, as in Total War without constructed decks (13.1, 13.9)."""
        return state.total_war and not state.limits

    @override
    def prompt(self, state: State, frame: DiscardStepFrame, role: str) -> str:
        """Return the prompt, which includes the cost of discarding no card."""
        cost_text = (
            " (discarding none costs 1 VP)" if self._must_discard(state) and not frame.count else ""
        )
        return f"Discard step: discard cards from hand{cost_text}"

    @override
    def default(
        self, state: State, frame: DiscardStepFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand:
        """Return the command to end the step or, if that would cost 1 VP, to discard the last card in hand."""
        if self._must_discard(state) and not frame.count:
            return Discard(card=last_distinct_card(state.cards_of(role).hand))
        return options[-1]
