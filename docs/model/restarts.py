"""Restarts an honest program after a kill, or with files restored from an older image (2.8)."""

from collections.abc import Iterator

from docs.model.fold import Fold
from docs.model.honest import Mode, Seat, State, release
from docs.model.messages import CHOICES, Msg
from docs.model.rules import Rule
from docs.model.step import Step


def restarts(fold: Fold, place: int, state: State) -> Iterator[tuple[Step, Seat]]:
    """Yield a seat restarted with each possible image of its files, and with the answers to its `resume`."""
    seat, scope = state[place], fold.setting.scope
    if seat.mode == Mode.RESUMING:
        yield from _answered(fold, place, state)
        return
    if seat.restarts >= scope.restarts or place:
        return
    others = [other for other in state if other.name != seat.name]
    has_witness = any(fold.transcripts.is_prefix(seat.tip, other.tip) for other in others)
    is_waiting = any(m.kind in CHOICES and m.after == seat.tip for m in seat.journal)
    if scope.is_informed and (is_waiting or not has_witness):
        return
    again = seat._replace(restarts=seat.restarts + 1, mode=Mode.RESUMING)
    if scope.restart == "crash":
        yield Step("restart", seat.name), _started(fold, _killed(fold, seat, again))
        return
    for depth in range(fold.transcripts.depth(seat.tip) + 1):
        yield (
            Step("restore", seat.name, number=depth),
            _started(fold, _restored(fold, again, depth)),
        )


def _killed(fold: Fold, seat: Seat, again: Seat) -> Seat:
    """Return a seat killed at this point. Without the rule journal-first, its last messages are not on disk."""
    if fold.setting.has(Rule.JOURNAL_FIRST):
        return again
    last = {m for m in seat.journal if m.after == seat.tip}
    return again._replace(journal=seat.journal - last, kept=seat.kept - last)


def _restored(fold: Fold, seat: Seat, depth: int) -> Seat:
    """Return a seat whose files have been restored to the point at which its copy ended at the given index."""
    tip = fold.transcripts.ancestor(seat.tip, depth)
    journal = frozenset(m for m in seat.journal if _was_signed(m, depth))
    kept = seat.kept if fold.setting.scope.restart == "partial" else journal
    return seat._replace(tip=tip, journal=journal, kept=kept)


def _was_signed(m: Msg, depth: int) -> bool:
    """Return whether an image contains a message. Messages that its last message makes due are stored with it."""
    return m.at < depth if m.kind in CHOICES else m.at <= depth


def _started(fold: Fold, seat: Seat) -> Seat:
    return release(fold, seat)


def _answered(fold: Fold, place: int, state: State) -> Iterator[tuple[Step, Seat]]:
    """Yield the seat after the answers to `resume`.

    Honest seats give true answers, and the attacker gives any answers.
    """
    seat, setting = state[place], fold.setting
    up = seat._replace(mode=Mode.UP)
    if setting.scope.attackers and not setting.has(Rule.RESUMED_COVERED):
        yield Step("false answer", seat.name), seat._replace(mode=Mode.HALTED)
    others = [other for other in state if other.name != seat.name]
    is_older = bool(seat.kept - seat.journal)
    if not others or not (is_older or setting.scope.is_informed):
        # The host reports which seats are present and can hide the honest ones.
        yield Step("answers of attackers", seat.name), release(fold, up)
    for other in others:
        if fold.transcripts.is_prefix(other.tip, seat.tip):
            yield Step("answers of all", seat.name), release(fold, up)
        elif fold.transcripts.is_prefix(seat.tip, other.tip):
            after = release(fold, up._replace(reach=other.tip))
            yield Step("answers of all", seat.name), after
        else:
            yield Step("answers of all", seat.name), seat._replace(mode=Mode.HALTED)
