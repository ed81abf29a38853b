"""Operations that happen by themselves: points, Economic Warfare, protection, cancelling, supply (A.2)."""

from typing import Final

from msgspec.structs import replace

from engine.qmg import deck_steps as ds
from engine.qmg.cards.base import Automatic, advance, context_of
from engine.qmg.events import FlagSet, PieceProtected, SupplyGranted, VpChanged
from engine.qmg.frames import EwFrame, PlayFrame, StepsFrame, WindowFrame
from engine.qmg.ids import FORCE_INDEX, TEAM_OF
from engine.qmg.run import Run
from engine.qmg.terms import Context, amount_of, force_of, signed_amount


class GainVpStep(Automatic):
    """Victory points for the team of the owner."""

    op: ds.GainVp

    def is_possible(self, at: Context) -> bool:
        """Return whether there is anything to gain."""
        return amount_of(self.op.amount, at) > 0

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Gain them; nothing is no entry."""
        at = context_of(run.state, frame)
        points = amount_of(self.op.amount, at)
        if points:
            run.add(VpChanged(team=TEAM_OF[at.owner], amount=points, why=frame.source.card))
        advance(run, frame)
        return True


class EwDiscardStep(Automatic):
    """An Economic Warfare discard with the boosts registered for its country (11.1)."""

    op: ds.EwDiscard

    def is_possible(self, at: Context) -> bool:
        """Return whether the country would discard anything."""
        return amount_of(self.op.amount, at) > 0

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Reckon the number and open its window."""
        if frame.stage == "inside":
            advance(run, frame)
            return True
        at = context_of(run.state, frame)
        play = _played(run)
        chosen = play.target if play else ""
        target = chosen if isinstance(self.op.target, ds.Choice) else force_of(self.op.target, at)
        base = amount_of(self.op.amount, at) if target else 0
        boosts = sum(n for country, n in (play.boosts if play else ()) if country == target)
        total = max(0, base + boosts) if base > 0 else 0
        if not total:
            advance(run, frame)
            return True
        run.replace(replace(frame, stage="inside"))
        run.enter(
            EwFrame(
                target=target,
                amount=total,
                cause=TEAM_OF[at.owner],
                by=at.owner,
                card=frame.source.card,
            )
        )
        return True


def _played(run: Run) -> PlayFrame | None:
    """Return the played card whose text runs."""
    for frame in reversed(run.stack):
        if isinstance(frame, PlayFrame):
            return frame
    return None


class ModifyEwDiscardStep(Automatic):
    """Registers a boost, or changes the pending number (A.2)."""

    op: ds.ModifyEwDiscard

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Write into the window that the card answers."""
        at = context_of(run.state, frame)
        below = run.window_below()
        window = run.stack[below]
        assert isinstance(window, WindowFrame), window
        changes = window.changes
        if window.trigger.kind == "ew_played":
            for target in window.trigger.targets:
                here = replace(at, target=target)
                delta = signed_amount(self.op.delta, here) if self.op.delta is not None else 0
                changes = (*changes, (target, delta))
        else:
            target = force_of(self.op.target, at)
            changes = tuple(
                (country, self._changed(pending, at) if country == target else pending)
                for country, pending in changes
            )
        run.stack[below] = replace(window, changes=changes)
        advance(run, frame)
        return True

    def _changed(self, pending: int, at: Context) -> int:
        if self.op.exactly is not None:
            return self.op.exactly
        delta = signed_amount(self.op.delta, at) if self.op.delta is not None else 0
        return max(
            pending + delta, self.op.minimum if self.op.minimum is not None else pending + delta
        )


class PreventRemovalStep(Automatic):
    """Protects a piece, or all that match (10.5)."""

    op: ds.PreventRemoval

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Set the protection."""
        event = frame.source.trigger
        if self.op.query is not None:
            run.add(PieceProtected(steps=frame.steps, at=frame.at, owner=frame.source.owner))
        elif event is not None:
            run.add(
                PieceProtected(
                    force=event.owner,
                    piece=event.piece,
                    space=event.space,
                    battle=self.op.duration == "battle",
                )
            )
        advance(run, frame)
        return True


class CancelCardStep(Automatic):
    """Cancels the text of a card or a use (A.2)."""

    op: ds.CancelCard

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Mark the window that the card answers."""
        below = run.window_below()
        window = run.stack[below]
        assert isinstance(window, WindowFrame), window
        run.stack[below] = replace(window, cancelled=True)
        advance(run, frame)
        return True


class DiscardStatusStep(Automatic):
    """Discards the Status of the event from the table (17.2)."""

    op: ds.DiscardStatus

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Discard it, if it is still there."""
        event = frame.source.trigger
        if event is not None and event.card in run.state.statuses[FORCE_INDEX[event.by]]:
            run.move(event.by, event.card, "statuses", "discard-top", shown=True, why="discarded")
        advance(run, frame)
        return True


class GrantSupplyStep(Automatic):
    """Matching pieces are in supply this turn."""

    op: ds.GrantSupply

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Grant it."""
        run.add(SupplyGranted(steps=frame.steps, at=frame.at, owner=frame.source.owner))
        advance(run, frame)
        return True


class SetFlagStep(Automatic):
    """A rule is off this turn."""

    op: ds.SetFlag

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Set it."""
        run.add(FlagSet(flag=self.op.flag))
        advance(run, frame)
        return True


class SnapshotStep(Automatic):
    """The board of the turn's beginning is kept anyway (17.6)."""

    op: ds.Snapshot

    def is_possible(self, at: Context) -> bool:
        """Return False: alone it does nothing."""
        return False

    def go(self, run: Run, frame: StepsFrame) -> bool:
        """Go on."""
        advance(run, frame)
        return True


OPERATIONS: Final = {
    ds.GainVp: GainVpStep,
    ds.EwDiscard: EwDiscardStep,
    ds.ModifyEwDiscard: ModifyEwDiscardStep,
    ds.PreventRemoval: PreventRemovalStep,
    ds.CancelCard: CancelCardStep,
    ds.DiscardStatus: DiscardStatusStep,
    ds.GrantSupply: GrantSupplyStep,
    ds.SetFlag: SetFlagStep,
    ds.Snapshot: SnapshotStep,
}
