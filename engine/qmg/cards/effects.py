"""Automatic operations: points, Economic Warfare, protection, cancellation and supply (A.2)."""

from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.qmg import deck_steps as ds
from engine.qmg.cards.base import Operation, advance, card_context
from engine.qmg.events import FlagSet, PieceProtected, SupplyGranted, VpChanged
from engine.qmg.frames import EwFrame, PlayFrame, StepsFrame, Trigger
from engine.qmg.ids import FORCE_INDEX, TEAM_BY_FORCE
from engine.qmg.run import Run
from engine.qmg.terms import Context, resolve_amount, resolve_force, resolve_signed_amount


class AutomaticOperation(Operation):
    """Carries out any step that requires no decision (A.1.3)."""

    @override
    def is_possible(self, context: Context) -> bool:
        """Return whether the step would have an effect.

        Steps that gain VP or discard cards have an effect if their number is above 0. Snapshots never have one (17.6).
        """
        if isinstance(self.op, ds.GainVp | ds.EwDiscard):
            return resolve_amount(self.op.amount, context) > 0
        return not isinstance(self.op, ds.Snapshot)

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """Carry out the step. If it has not started another frame, advance."""
        if not self._apply(run, frame):
            advance(run, frame)
        return True

    def _apply(self, run: Run, frame: StepsFrame) -> bool:
        """Carry out the step. Return True if it has pushed a frame that must end before the list advances."""
        owner, event = frame.source.owner, frame.source.trigger
        match self.op:
            case ds.EwDiscard():
                return _begin_war_discard(self.op, run, frame)
            case ds.GainVp(amount=amount):
                points = resolve_amount(amount, card_context(run.state, frame))
                if points:
                    run.add(
                        VpChanged(team=TEAM_BY_FORCE[owner], amount=points, why=frame.source.card)
                    )
            case ds.ModifyEwDiscard():
                _modify_discard(self.op, run, card_context(run.state, frame))
            case ds.PreventRemoval(query=None, duration=duration):
                if event is not None and card_context(run.state, frame).is_subject_present(event):
                    run.add(_protection_event(event, is_in_battle=duration == "battle"))
            case ds.PreventRemoval():
                run.add(PieceProtected(steps=frame.steps, at=frame.at, owner=owner))
            case ds.CancelCard():
                index, window = run.responding_window()
                run.stack[index] = replace(window, cancelled=True)
            case ds.DiscardStatus():  # only if the Status is still on the table (17.2)
                if event is not None and event.card in run.state.statuses[FORCE_INDEX[event.by]]:
                    place, target_pile = "statuses", "discard-top"
                    run.move_card(
                        event.by, event.card, place, target_pile, is_shown=True, reason="discarded"
                    )
            case ds.GrantSupply():
                run.add(SupplyGranted(steps=frame.steps, at=frame.at, owner=owner))
            case ds.SetFlag(flag=flag):
                run.add(FlagSet(flag=flag))
            case _:
                assert isinstance(self.op, ds.Snapshot), self.op  # always stored (17.6)
        return False


def _protection_event(event: Trigger, *, is_in_battle: bool) -> PieceProtected:
    """Return the event that protects a trigger's piece (10.5)."""
    return PieceProtected(
        force=event.owner, piece=event.piece, space=event.space, battle=is_in_battle
    )


def _begin_war_discard(operation: ds.EwDiscard, run: Run, frame: StepsFrame) -> bool:
    """Start a country's Economic Warfare discard, including boosts. Return False if the number of cards is 0 (11.1).

    Boosts are cumulative (11.2; example 11.3). If the card's own number is 0, boosts have no effect (18.10).
    """
    context = card_context(run.state, frame)
    play = next(
        (candidate for candidate in reversed(run.stack) if isinstance(candidate, PlayFrame)), None
    )
    chosen_target = play.target if play else ""
    target = (
        chosen_target
        if isinstance(operation.target, ds.CountryChoice)
        else resolve_force(operation.target, context)
    )
    base = resolve_amount(operation.amount, context) if target else 0
    boosts = sum(bonus for country, bonus in (play.boosts if play else ()) if country == target)
    total = max(0, base + boosts) if base > 0 else 0
    if not total:
        return False
    run.replace_top(replace(frame, stage="inside"))
    owner, card = context.owner, frame.source.card
    run.push(EwFrame(target=target, amount=total, cause=TEAM_BY_FORCE[owner], by=owner, card=card))
    return True


def _modify_discard(operation: ds.ModifyEwDiscard, run: Run, context: Context) -> None:
    """Add a boost for the Economic Warfare card, or change the number of cards that its target will discard (11.1)."""
    index, window = run.responding_window()
    changes = window.changes
    if window.trigger.kind == "ew_played":
        for target in window.trigger.targets:
            changes = (
                *changes,
                (target, _discard_delta(operation, replace(context, target=target))),
            )
    else:
        hit = resolve_force(operation.target, context)
        changes = tuple(
            (country, _changed_count(operation, pending, context) if country == hit else pending)
            for country, pending in changes
        )
    run.stack[index] = replace(window, changes=changes)


def _discard_delta(operation: ds.ModifyEwDiscard, context: Context) -> int:
    return resolve_signed_amount(operation.delta, context) if operation.delta is not None else 0


def _changed_count(operation: ds.ModifyEwDiscard, pending: int, context: Context) -> int:
    if operation.exactly is not None:
        return operation.exactly
    new_count = pending + _discard_delta(operation, context)
    return new_count if operation.minimum is None else max(new_count, operation.minimum)


OPERATIONS: Final = dict.fromkeys(
    (
        ds.GainVp,
        ds.EwDiscard,
        ds.ModifyEwDiscard,
        ds.PreventRemoval,
        ds.CancelCard,
        ds.DiscardStatus,
        ds.GrantSupply,
        ds.SetFlag,
        ds.Snapshot,
    ),
    AutomaticOperation,
)
