"""Models honest seats, which sign every due message once per slot, and their players' choices."""

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from docs.model.fold import Fold, Verdict, challenge, mix_key
from docs.model.game import Due, Phase, expected, has_chance
from docs.model.messages import CHOICES, ROOT, Msg, slot
from docs.model.rules import Rule

_HELD_BACK: Final = frozenset({"reveal", "proof", "open"})
"""Kinds of messages that are held back after a start until the other seats have answered (2.8)."""


class Mode(Enum):
    """State of an honest program."""

    UP = "up"
    RESUMING = "resuming"
    """The program has restarted, and the other seats have not answered yet."""
    HALTED = "halted"
    CRASHED = "crashed"


class Seat(NamedTuple):
    """One honest program: its copy, its journal, and the messages that it has sent."""

    name: str
    tip: int = ROOT
    """Node of the seat's transcript."""
    journal: frozenset[Msg] = frozenset()
    """Signed messages that the seat's files contain."""
    kept: frozenset[Msg] = frozenset()
    """Messages that the state directory counts or, under the rule slots-kept, lists."""
    sent: frozenset[Msg] = frozenset()
    """All messages that the seat has ever sent. The attacker has them all."""
    mode: Mode = Mode.UP
    reach: int = ROOT
    """Transcript shown by another seat. This seat releases nothing until its own transcript contains it."""
    is_acked: bool = False
    """True if the acknowledgements of T(end) have arrived or the waiting time is over."""
    is_uncovered: bool = False
    """True if the seat acted on a message that no host signature covers."""
    restarts: int = 0


State = tuple[Seat, ...]
"""One search state: all honest seats.

The attacker has all messages that they have sent, and needs no state of its own.
"""


def known_of(state: State) -> frozenset[Msg]:
    """Return all messages of honest seats, which the attacker has."""
    return frozenset[Msg]().union(*(seat.sent for seat in state))


def release(fold: Fold, seat: Seat) -> Seat:
    """Sign and send every message that is due from a seat at its tip, and the messages that must follow."""
    for m in list(_automatic(fold, seat)):
        seat = sign(fold, seat, m)
    node = seat.tip
    while (only := _only_due(fold, seat, node)) is not None:
        seat = sign(fold, seat, only)
        if only not in seat.sent:
            break
        node = fold.add(node, only)
    return seat


def _only_due(fold: Fold, seat: Seat, node: int) -> Msg | None:
    """Return a seat's open or proposal if nothing else is due after a transcript, so it must come next."""
    g = fold.game(node)
    owed = [due.author for due in fold.dues(node)]
    owed += [g.actor] if g.phase == Phase.RESOLVE else []
    if owed != [seat.name]:
        return None
    made = [m for m in _automatic(fold, seat._replace(tip=node)) if m.kind in {"open", "proposal"}]
    return made[0] if made else None


def _automatic(fold: Fold, seat: Seat) -> Iterator[Msg]:
    g = fold.game(seat.tip)
    if g.phase == Phase.ENDED:
        yield Msg("ack", seat.name, fold.transcripts.depth(g.entered), g.entered)
    for due in fold.dues(seat.tip):
        is_timely = due.kind != "seed" or seat.is_acked
        if due.author == seat.name and due.kind not in CHOICES and is_timely:
            m = answer(fold, seat.tip, due)
            if m is not None:
                yield m
    if g.phase == Phase.RESOLVE and g.actor == seat.name:
        at = fold.transcripts.depth(seat.tip)
        yield expected(g)._replace(author=seat.name, at=at, after=seat.tip)


def answer(fold: Fold, node: int, due: Due) -> Msg | None:
    """Return a due message whose content is determined by the transcript; None if there is none."""
    g, at = fold.game(node), fold.transcripts.depth(due.after)
    m = Msg(due.kind, due.author, at, due.after)
    if due.kind == "agree":
        return m._replace(what=g.header)
    if due.kind == "mix":
        name = str(due.item)
        labels = g.pile(due.author, name)
        m = m._replace(what=name, labels=labels)
        inside = tuple((g.labels[n].card, g.labels[n].term) for n in labels)
        key = mix_key(fold.setting, g, m)
        return m._replace(key=key, inside=inside)
    if due.kind == "reveal":
        return m._replace(what="true", n=g.throw)
    if due.kind == "proof":
        return _proof(fold, node, due, m)
    if due.kind == "open":
        return _open(fold, node, due, m)
    return m._replace(what="true")


def _proof(fold: Fold, node: int, due: Due, m: Msg) -> Msg | None:
    g = fold.game(node)
    mix = next(mix for mix in g.mixes if mix.first == due.item)
    throws = [throw for throw in g.thrown if throw.last == due.after]
    if not throws:
        return None
    term = challenge(fold.setting, g, throws[0], due.author, mix.pile)
    return m._replace(what="right", labels=(mix.first,), key=(mix.key, term))


def _open(fold: Fold, node: int, due: Due, m: Msg) -> Msg | None:
    g = fold.game(node)
    label = due.item if isinstance(due.item, int) else -1
    if label < 0:
        hand = g.pile(due.author, "hand")
        own = [n for n in hand if g.labels[n].card == g.target]
        if not own:
            return None
        label = own[0]
    opened = g.labels[label]
    return m._replace(what=opened.card, labels=(label,), key=(opened.term, opened.source))


def sign(fold: Fold, seat: Seat, m: Msg) -> Seat:
    """Sign, store and send a message unless the release rules forbid it."""
    if m in seat.journal:
        return seat._replace(sent=seat.sent | {m})
    if not may_sign(fold, seat, m):
        return seat
    return seat._replace(journal=seat.journal | {m}, kept=seat.kept | {m}, sent=seat.sent | {m})


def may_sign(fold: Fold, seat: Seat, m: Msg) -> bool:
    """Return whether the release rules let a seat sign a new message (2.4, 2.7, 2.8)."""
    setting = fold.setting
    is_waiting = seat.mode == Mode.RESUMING and setting.has(Rule.RESUME_FIRST)
    if is_waiting and (m.kind in _HELD_BACK or setting.has(Rule.RESUME_BEFORE_ALL)):
        return False
    if setting.has(Rule.FETCH_FIRST) and not fold.transcripts.is_prefix(seat.reach, seat.tip):
        return False
    known = set(seat.journal)
    if setting.has(Rule.SLOTS_KEPT):
        known |= seat.kept
    if m in known:
        return True
    if setting.has(Rule.SLOT_ONCE) and any(
        one.at == m.at and slot(one) == slot(m) for one in known
    ):
        return False
    is_second = m.kind == "reveal" and any(
        one.kind == "reveal" and one.n == m.n and one.after != m.after for one in known
    )
    return not (is_second and setting.has(Rule.REVEAL_ONCE))


def choices(fold: Fold, seat: Seat) -> Iterator[Seat]:
    """Yield the seat after each message that its player may choose now."""
    for m in _chosen(fold, seat):
        if m in seat.journal or fold.check(seat.tip, m) != Verdict.ACCEPT:
            continue
        after = sign(fold, seat, m)
        if after is seat:
            continue
        if m.kind == "request":
            add = _foregone if fold.setting.has(Rule.INDEXED_FIRST) else _batch
            after = add(fold, after, m)
        yield after


def _chosen(fold: Fold, seat: Seat) -> Iterator[Msg]:
    scope, g = fold.setting.scope, fold.game(seat.tip)
    at, me = fold.transcripts.depth(seat.tip), seat.name
    for names, command in scope.commands:
        if me in names:
            for whole in commands(fold, seat.tip, me, command):
                yield Msg("request", me, at, seat.tip, *whole)
    if me in scope.offerers:
        for target in range(len(g.saves) - 1):
            yield Msg("offer", me, at, seat.tip, n=target)
    if g.phase == Phase.CONSENT:
        entered = fold.transcripts.depth(g.entered)
        for word in ("yes", "no"):
            yield Msg("consent", me, entered, g.entered, word)
    if me in scope.enders:
        yield Msg("end", me, at, seat.tip, "resign")


def commands(fold: Fold, node: int, author: str, command: str) -> Iterator[tuple[str, int]]:
    """Yield the complete commands of a kind, each with 1 if it involves chance and 0 if not."""
    g = fold.game(node)
    if command == "play":
        for card in dict.fromkeys(g.labels[n].card for n in g.pile(author, "hand")):
            yield (f"play {card}", 0)
    else:
        yield (command, int(has_chance(g, author, command)))


def _foregone(fold: Fold, seat: Seat, m: Msg) -> Seat:
    """Send a request together with its proposal, if every copy can compute the proposal and no offer is open."""
    node = fold.add(seat.tip, m)
    g, proposal = fold.game(node), expected(fold.game(node))
    is_idle = fold.game(seat.tip).phase == Phase.IDLE or not fold.setting.has(Rule.BATCH_WHEN_IDLE)
    if not is_idle or g.phase != Phase.RESOLVE or proposal.labels or fold.dues(node):
        return seat
    at = fold.transcripts.depth(node)
    return sign(fold, seat, proposal._replace(author=seat.name, at=at, after=node))


def _batch(fold: Fold, seat: Seat, m: Msg) -> Seat:
    """Send a request, its opens and its proposal in one batch, before the host has indexed any of them (2.4)."""
    tip, node = seat.tip, fold.add(seat.tip, m)
    while True:
        ahead = seat._replace(tip=node)
        batch = [one for one in _automatic(fold, ahead) if one.kind in {"open", "proposal"}]
        if not batch or any(due.kind == "mix" for due in fold.dues(node)):
            return seat._replace(tip=tip)
        seat = sign(fold, ahead, batch[0])
        node = fold.add(node, batch[0])
