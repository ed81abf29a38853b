"""Applies accepted messages, and steps that need no message, to the state of a copy."""

from collections.abc import Callable
from typing import Final, NamedTuple

from docs.model.dues import mixes_due, opens_due
from docs.model.game import ASKING, Game, Label, Mix, Phase, Save, Throw, chance_of
from docs.model.messages import Msg, Pile, Transcripts
from docs.model.rules import Rule
from docs.model.scope import Setting


class Step(NamedTuple):
    """One accepted message that is being applied to the state."""

    setting: Setting
    transcripts: Transcripts
    new: int
    """Node of the transcript with the message."""
    m: Msg
    begun: int
    """Number of throws begun at or before the message's anchor."""


def apply_kind(step: Step, g: Game) -> Game:
    """Return the state after an accepted message, before the steps that it triggers."""
    return _APPLY[step.m.kind](step, g)


def _setup(step: Step, g: Game) -> Game:
    labels = tuple(
        Label(owner, "deck", card, ("card", card), (-1, -1), -1, -1)
        for owner in step.setting.scope.decks
        for card in step.setting.scope.deck_of(step.m.what, owner)
    )
    return g._replace(phase=Phase.AGREE, header=step.m.what, labels=labels, entered=step.new)


def _agree(step: Step, g: Game) -> Game:
    return g._replace(agreed=g.agreed | {step.m.author})


def _mix(step: Step, g: Game) -> Game:
    m, setting = step.m, step.setting
    labels = [
        label._replace(pile="gone") if number in m.labels else label
        for number, label in enumerate(g.labels)
    ]
    content = str(m.key[0]) if m.key[0] in {"false", "fitted"} else "true"
    is_late = g.phase == Phase.COMPLETE and bool(g.thrown)
    n = step.begun - (is_late and not setting.has(Rule.CHALLENGE_LATER))
    made = step.transcripts.depth(step.new)
    labels += [
        Label(
            *(m.author, m.what, card, ("out", m.key, place), (m.at, m.after), made, n),
            is_false=content != "true",
        )
        for place, (card, _) in enumerate(m.inside)
    ]
    due = g.thrown[-1].last if g.thrown and g.thrown[-1].n == n else -1
    mix = Mix(m.author, m.what, len(g.labels), m.key, n, content, due)
    is_own_hand = m.author == g.actor and m.what == "hand" and g.phase == Phase.PREPARE
    return g._replace(
        labels=tuple(labels),
        mixes=(*g.mixes, mix),
        dirty=g.dirty - {(m.author, m.what)},
        mixed=step.new if is_own_hand else g.mixed,
    )


def _request(step: Step, g: Game) -> Game:
    m = step.m
    return g._replace(
        phase=Phase.PREPARE,
        entered=step.new,
        requests=g.requests + 1,
        actor=m.author,
        command=m.what,
        chance=bool(m.n),
        request=step.new,
        mixed=-1,
        consents=frozenset(),
        back_to=-1,
    )


def _reveal(step: Step, g: Game) -> Game:
    is_first = not g.values
    return g._replace(
        values=(*g.values, (step.m.author, step.m.what)),
        begun=g.throw + 1 if is_first else g.begun,
        start=step.transcripts.depth(step.new) if is_first else g.start,
    )


def _proof(step: Step, g: Game) -> Game:
    first = step.m.labels[0]
    if step.setting.has(Rule.CHALLENGE_BY_ANCHOR):
        return g._replace(mixes=tuple(mix for mix in g.mixes if mix.first != first))
    return g._replace(
        mixes=tuple(mix._replace(due=-1) if mix.first == first else mix for mix in g.mixes)
    )


def _proposal(step: Step, g: Game) -> Game:
    m = step.m
    if g.phase == Phase.REVEAL:  # possible only without the rule all-reveals
        values = (*g.values, ("missing", f"lie{max(m.n, 0)}"))
        thrown = Throw(g.throw, values, g.start, g.ready, step.new)
        g = g._replace(thrown=(*g.thrown, thrown), values=())
    if m.key:
        g = g._replace(shown=(*g.shown, m.key))
    if m.what == "ask":
        return g._replace(phase=Phase.ASK, picks=(*g.picks, m.labels[0]), asked=step.new)
    if m.what == "stage":
        return g._replace(phase=Phase.PREPARE, entered=step.new)
    return _done(step, g)


def _done(step: Step, g: Game) -> Game:
    """Move a command's cards and enter Complete."""
    labels, dirty = list(g.labels), set(g.dirty)
    verb = g.verb
    moved = step.m.labels
    if verb == "play":
        hand = g.pile(g.actor, "hand")
        moved = tuple(n for n in hand if labels[n].card == g.target)[:1]
    pile = {"raid": "discard", "play": "discard", "drop": "down", "draw": "hand"}.get(verb)
    for number in moved if pile else ():
        labels[number] = labels[number]._replace(pile=pile or "")
    if verb == "draw":
        dirty.add((g.actor, "hand"))
    return g._replace(
        labels=tuple(labels), dirty=frozenset(dirty), phase=Phase.COMPLETE, entered=step.new
    )


def _open(step: Step, g: Game) -> Game:
    number = step.m.labels[0]
    labels = list(g.labels)
    labels[number] = labels[number]._replace(is_opened=True)
    g = g._replace(labels=tuple(labels))
    if g.phase != Phase.ASK:
        return g
    is_kept = g.verb in ASKING - {"raid"} and step.setting.has(Rule.OPENED_DIRTY)
    dirty = {(labels[number].owner, "hand")} if is_kept else set()
    return g._replace(phase=Phase.RESOLVE, dirty=g.dirty | dirty)


def _offer(step: Step, g: Game) -> Game:
    return g._replace(
        phase=Phase.CONSENT,
        entered=step.new,
        back_to=step.m.n,
        consents=frozenset(),
        offers=g.offers + 1,
    )


def _consent(step: Step, g: Game) -> Game:
    if step.m.what == "no":
        return g._replace(phase=Phase.IDLE, consents=frozenset(), back_to=-1)
    g = g._replace(consents=g.consents | {step.m.author})
    return g if len(g.consents) < len(step.setting.scope.seats) else _take_back(step, g)


def _take_back(step: Step, g: Game) -> Game:
    """Restore the game state and label table saved with a record. Throw and label numbers are kept (2.5)."""
    save = g.saves[g.back_to]
    piles = save.piles + ("gone",) * (len(g.labels) - len(save.piles))
    labels = tuple(label._replace(pile=pile) for label, pile in zip(g.labels, piles, strict=True))
    g = g._replace(
        phase=Phase.IDLE,
        labels=labels,
        dirty=save.dirty,
        record=g.back_to,
        turn=save.turn,
        saves=g.saves[: g.back_to + 1],
        consents=frozenset(),
        back_to=-1,
    )
    if step.setting.has(Rule.TAKEBACK_DIRTY):
        g = g._replace(dirty=_all_piles(step.setting, g))
    return g if step.setting.has(Rule.THROWS_FORWARD) else g._replace(begun=save.begun)


def _all_piles(setting: Setting, g: Game) -> frozenset[Pile]:
    return frozenset(
        (owner, name)
        for owner in setting.scope.decks
        for name in ("deck", "hand")
        if g.pile(owner, name)
    )


def _end(step: Step, g: Game) -> Game:
    return g._replace(phase=Phase.ENDED, entered=step.new)


def _seed(step: Step, g: Game) -> Game:
    return g._replace(seeds=g.seeds | {step.m.author})


_APPLY: Final[dict[str, Callable[[Step, Game], Game]]] = {
    "setup": _setup,
    "agree": _agree,
    "mix": _mix,
    "request": _request,
    "reveal": _reveal,
    "proof": _proof,
    "proposal": _proposal,
    "open": _open,
    "offer": _offer,
    "consent": _consent,
    "end": _end,
    "seed": _seed,
}


def settle(setting: Setting, transcripts: Transcripts, g: Game, new: int) -> Game:
    """Return the state after all changes that require no further message."""
    while True:
        after = _settle_once(setting, transcripts, g, new)
        if after is g:
            return g
        g = after


def _settle_once(setting: Setting, transcripts: Transcripts, g: Game, new: int) -> Game:
    seats = len(setting.scope.seats)
    if g.phase == Phase.AGREE and len(g.agreed) == seats:
        return g._replace(phase=Phase.PREPARE, entered=new, dirty=_all_piles(setting, g))
    if g.phase == Phase.REVEAL and len(g.values) == seats:
        return _thrown(setting, transcripts, g, new)
    is_proved = not setting.has(Rule.PROOF_AWAITED) or all(mix.due < 0 for mix in g.mixes)
    if not is_proved or mixes_due(setting, g) or opens_due(g):
        return g
    if g.phase == Phase.PREPARE:
        if g.chance:
            return g._replace(phase=Phase.REVEAL, ready=new, throw=g.begun, values=())
        return g._replace(phase=Phase.RESOLVE)
    if g.phase == Phase.COMPLETE:
        return _completed(g)
    return g


def _thrown(setting: Setting, transcripts: Transcripts, g: Game, new: int) -> Game:
    """Finish a throw. Its proofs become due and, in the opening, the cards are dealt."""
    throw = Throw(g.throw, g.values, g.start, g.ready, new)
    is_any = not setting.has(Rule.CHALLENGE_BY_ANCHOR)
    mixes = tuple(mix._replace(due=new) if is_any or mix.n == throw.n else mix for mix in g.mixes)
    g = g._replace(
        thrown=(*g.thrown, throw),
        values=(),
        mixes=mixes,
        last_ready=transcripts.depth(g.ready),
        phase=Phase.RESOLVE,
    )
    return g if g.command else _dealt(setting, g, new)


def _dealt(setting: Setting, g: Game, new: int) -> Game:
    """Deal the opening hands from the decks."""
    labels, dirty = list(g.labels), set(g.dirty)
    for owner in setting.scope.decks:
        for _ in range(setting.scope.deal):
            deck = [n for n, one in enumerate(labels) if (one.owner, one.pile) == (owner, "deck")]
            if deck:
                number = deck[chance_of(g.thrown[-1].values, len(deck))]
                labels[number] = labels[number]._replace(pile="hand")
                dirty.add((owner, "hand"))
    return g._replace(
        labels=tuple(labels), dirty=frozenset(dirty), phase=Phase.COMPLETE, entered=new
    )


def _completed(g: Game) -> Game:
    """Finish a record."""
    turn = g.turn + bool(g.command)
    save = Save(tuple(label.pile for label in g.labels), turn, g.dirty, g.begun)
    return g._replace(
        phase=Phase.IDLE,
        record=len(g.saves),
        turn=turn,
        saves=(*g.saves, save),
        actor="",
        command="",
        thrown=(),
        picks=(),
    )
