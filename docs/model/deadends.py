"""Detects dead ends, states in which a copy waits for honest seats that have nothing to send."""

from docs.model.fold import Fold, Verdict
from docs.model.game import Phase
from docs.model.honest import Mode, Seat, State, choices, known_of
from docs.model.messages import HOST, Msg


def is_dead_end(fold: Fold, state: State) -> bool:
    """Return whether some copy is waiting although no message is due from the host or an attacker."""
    known = known_of(state)
    return any(_is_stuck(fold, seat, state, known) for seat in state if seat.mode == Mode.UP)


def _is_stuck(fold: Fold, seat: Seat, state: State, known: frozenset[Msg]) -> bool:
    """Return whether a copy is waiting for an honest seat that has nothing to send and nothing to choose."""
    seats = {one.name: one for one in state}
    owed = [
        author not in seats or _is_held_up(fold, seat.tip, seats[author], known)
        for author in _awaited(fold, seat.tip)
    ]
    if fold.game(seat.tip).phase == Phase.IDLE:
        return bool(owed) and not any(owed)
    return not all(owed)


def _awaited(fold: Fold, node: int) -> list[str]:
    """Return the authors of the messages that a copy needs before it can continue."""
    scope, g = fold.setting.scope, fold.game(node)
    if g.phase == Phase.START:
        return [HOST]
    if g.phase == Phase.RESOLVE:
        return [g.actor, *(due.author for due in fold.dues(node))]
    if g.phase == Phase.IDLE:
        is_open = g.turn < len(scope.turns) and g.requests < scope.requests
        return list(scope.turns[g.turn]) if is_open else []
    return [due.author for due in fold.dues(node)]


def _is_held_up(fold: Fold, tip: int, seat: Seat, known: frozenset[Msg]) -> bool:
    """Return whether the honest seat for which a copy at this tip is waiting is only delayed. That is not a dead end.

    Either the host owes messages to the seat, or it owes one of the seat's messages to the copy, or the player has not
    chosen yet. A seat that has restored older files, and has signed more than they contain, also waits for the host.
    """
    if seat.tip != tip or seat.mode != Mode.UP or seat.kept - seat.journal:
        return True
    if not fold.transcripts.is_prefix(seat.reach, tip):
        return True
    if fold.game(tip).phase == Phase.ENDED and not seat.is_acked:
        return True
    sent = (m for m in known if m.author == seat.name)
    if any(fold.check(tip, m) == Verdict.ACCEPT for m in sent):
        return True
    return any(True for _ in choices(fold, seat))
