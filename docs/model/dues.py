"""Computes the parallel messages that a state requires."""

from docs.model.game import Due, Game, Phase
from docs.model.rules import Rule
from docs.model.scope import Setting


def dues(setting: Setting, g: Game) -> tuple[Due, ...]:
    """Return the parallel messages that a state requires."""
    seats = setting.scope.seats
    if g.phase == Phase.AGREE:
        return tuple(Due("agree", seat, g.entered, "") for seat in seats if seat not in g.agreed)
    if g.phase == Phase.REVEAL:
        there = {author for author, _ in g.values}
        return tuple(Due("reveal", seat, g.ready, g.throw) for seat in seats if seat not in there)
    if g.phase == Phase.CONSENT:
        open_seats = [seat for seat in seats if seat not in g.consents]
        return tuple(Due("consent", seat, g.entered, "") for seat in open_seats)
    if g.phase == Phase.ENDED:
        return tuple(Due("seed", seat, g.entered, "") for seat in seats if seat not in g.seeds)
    proofs = (Due("proof", mix.owner, mix.due, mix.first) for mix in g.mixes if mix.due >= 0)
    return (*proofs, *mixes_due(setting, g), *opens_due(g))


def mixes_due(setting: Setting, g: Game) -> tuple[Due, ...]:
    """Return the mixes that a state requires (2.6)."""
    if g.phase == Phase.PREPARE:
        owners = {g.actor} if g.actor and not g.chance else set(setting.scope.seats)
        names = {"hand", "deck"}
    elif g.phase == Phase.COMPLETE and setting.has(Rule.HAND_MIXED):
        owners, names = set(setting.scope.seats), {"hand"}
    else:
        return ()
    return tuple(
        Due("mix", owner, g.entered, name)
        for owner, name in sorted(g.dirty)
        if owner in owners and name in names and g.pile(owner, name)
    )


def opens_due(g: Game) -> tuple[Due, ...]:
    """Return the opens that a state requires, for a pick or for the card being played."""
    if g.phase == Phase.ASK:
        label = g.labels[g.picks[-1]]
        return () if label.is_opened else (Due("open", label.owner, g.asked, g.picks[-1]),)
    if g.phase != Phase.PREPARE or g.verb != "play" or (g.actor, "hand") in g.dirty:
        return ()
    hand = [g.labels[n] for n in g.pile(g.actor, "hand")]
    if any(label.is_opened and label.card == g.target for label in hand):
        return ()
    # Only the owner knows which label has the card. The item -1 accepts any label in the hand.
    return (Due("open", g.actor, g.mixed if g.mixed >= 0 else g.request, -1),)
