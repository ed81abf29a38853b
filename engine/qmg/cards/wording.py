"""What a list of steps does, in a few words, so that a choice between parts of a card can be told (A.2)."""

from collections.abc import Iterable, Mapping
from functools import singledispatch
from typing import Final

from engine.qmg import deck_steps as ds
from engine.qmg import deck_terms as dt
from engine.qmg.atlas import SPACE, mask, names, titled
from engine.qmg.deck import SNAPSHOTS
from engine.qmg.deck_steps import STEP_LISTS
from engine.qmg.ids import ALLIES, AXIS
from engine.qmg.sayings import ADJECTIVES, FORCE_NAMES, PIECES, TEAM_NAMES, begin, cards
from engine.qmg.sayings import card_type as card_type_words

_REFERENCES: Final = {
    "self": "your own",
    "each": "that country",
    "chosen": "the chosen country",
    "trigger.piece": "that piece",
    "trigger.by": "the country that acted",
    "trigger.target": "that country",
}
_ZONES: Final = {
    "hand": "from hand",
    "deck": "from the deck",
    "discard": "from the discard pile",
    "table_response": "face-down Response",
    "table_status": "Status on the table",
    "table": "to the table",
}
_PLACES: Final = {
    "deck_top": "on top of the deck",
    "deck_bottom": "on the bottom of the deck",
    "deck_shuffle": "into the deck",
    "hand": "into the hand",
}
_MANY: Final = 8
"""More spaces than these are not listed."""


def part_words(name: str) -> str:
    """Return what a list of steps does, as a sentence without a stop.

    Args:
        name: Its name in `STEP_LISTS`; an unknown or empty one does nothing.
    """
    return begin(_list_words(STEP_LISTS.get(name, ())))


def _list_words(steps: ds.Steps) -> str:
    """Return what steps do, inside a sentence."""
    return ", then ".join(filter(None, map(step_words, steps))) or "nothing"


def owner_words(owners: dt.Owners) -> str:
    """Return whose pieces are meant, such as ``German or Italian``."""
    words = []
    for owner in dt.listed(owners):
        if owner in ADJECTIVES:
            words.append(ADJECTIVES[owner])
        elif owner in (AXIS, ALLIES):
            words.append({AXIS: "Axis", ALLIES: "Allied"}[owner])
        else:
            words.append(_REFERENCES.get(owner, owner))
    return " or ".join(words)


def force_words(who: dt.Who) -> str:
    """Return a country, team or reference inside a sentence."""
    force = who.ref if isinstance(who, dt.Ref) else who
    return FORCE_NAMES.get(force) or TEAM_NAMES.get(force) or _REFERENCES.get(force, force)


def _piece(owner: dt.Word, kind: str) -> str:
    noun = PIECES[kind]
    article = "an" if noun[0] == "A" else "a"
    if owner == "self":
        return f"{article} {noun}"
    if owner not in ADJECTIVES:
        return f"{article} {noun} of {force_words(owner)}"
    whose = owner_words(owner)
    return f"{'an' if whose[0] in 'AI' else 'a'} {whose} {noun}"


def query_words(query: dt.Query) -> str:
    """Return the pieces that a query means."""
    kinds = " or ".join(PIECES.get(kind, kind) for kind in query.pieces)
    supplied = "supplied " if query.supplied else ""
    return f"{supplied}{owner_words(query.owners)} {kinds}{place_words(query.spaces)}"


def place_words(spaces: dt.Selector) -> str:
    """Return where, with a blank in front; empty when it may be anywhere."""
    if spaces == "any":
        return ""
    if not isinstance(spaces, dt.Region):
        return _named(spaces)
    if spaces.title_contains is not None:
        return _named(names(titled(spaces.title_contains)))
    if spaces.adjacent_to_pieces is not None:
        return f" next to {query_words(spaces.adjacent_to_pieces)}"
    if spaces.with_piece is not None:
        return f" where {query_words(spaces.with_piece)} stands"
    if spaces.snapshot is not None:
        return f" where {query_words(SNAPSHOTS[spaces.snapshot])} stood when the turn began"
    of, least, most = spaces.ring()
    return f" {_distance(least, most)} {_centre(of)}"


def _named(spaces: Iterable[str]) -> str:
    listed = [SPACE[name].name for name in names(mask(spaces))]
    if len(listed) > _MANY:
        listed = [*listed[:_MANY], "other spaces of the card"]
    return f" in {' or '.join(listed)}"


def _distance(least: int, most: int) -> str:
    if most == 0:
        return "in"
    if most == 1:
        return "next to" if least else "in or next to"
    return f"within {most} spaces of"


def _centre(of: str | dt.Home) -> str:
    if isinstance(of, dt.Home):
        return f"the Home of {_REFERENCES[of.home_of]}"
    if of == "step1.space":
        return "the space just used"
    return SPACE[of].name if of in SPACE else "that space"


def amount_words(amount: dt.Amount) -> str:
    """Return a number or how it comes about."""
    if isinstance(amount, int):
        return str(amount)
    if amount.per is not None:
        return f"{amount.each} per {query_words(amount.per)}"
    if amount.condition is not None:
        return f"{amount.then} or {amount.otherwise}"
    return f"up to {amount.most}" if amount.most else "as many"


def _times(count: dt.Count) -> str:
    if count.most == 1:
        return ""
    return f", {count.most} times" if count.least == count.most else f", up to {count.most} times"


def _type(card_type: str) -> str:
    return card_type_words(card_type)


def _subject(who: dt.Who) -> str:
    return "" if who == "self" else f"{force_words(who)}: "


@singledispatch
def step_words(step: ds.Step) -> str:
    """Return what one step does; empty for those that only keep the books."""
    return _PLAIN.get(type(step), "")


@step_words.register
def _(step: ds.Build) -> str:
    return f"build {_piece(step.force, step.piece)}{place_words(step.spaces)}{_times(step.count)}"


@step_words.register
def _(step: ds.Recruit) -> str:
    return f"recruit {_piece(step.force, step.piece)}{place_words(step.spaces)}{_times(step.count)}"


@step_words.register
def _(step: ds.Battle) -> str:
    kind = {"land": "a land space", "sea": "a sea space"}.get(step.kind, "a space")
    beside = f" beside a supplied {PIECES[step.from_piece]}" if step.from_piece else ""
    who = "" if step.force == "self" else f" with {force_words(step.force)}"
    where = place_words(step.spaces)
    is_named = where.startswith(" in ") and not where.startswith(" in or ")
    what = where.removeprefix(" in ") if is_named else f"{kind}{where}"
    return f"battle {what}{beside}{who}{_times(step.count)}"


@step_words.register
def _(step: ds.Eliminate) -> str:
    whose = owner_words(step.owners)
    what = _REFERENCES[step.piece.ref] if isinstance(step.piece, dt.Ref) else PIECES[step.piece]
    words = f"eliminate {whose} {what}{place_words(step.spaces)}{_times(step.count)}"
    return words.replace("  ", " ")


@step_words.register
def _(step: ds.EliminateAir) -> str:
    return f"eliminate {owner_words(step.owners)} Air Force{place_words(step.spaces)}"


@step_words.register
def _(step: ds.RemoveOwn) -> str:
    kinds = " or ".join(PIECES[kind] for kind in step.pieces)
    return f"{_subject(step.who)}take an own {kinds} off the board{place_words(step.spaces)}"


@step_words.register
def _(step: ds.RebuildEach) -> str:
    kinds = " and ".join(f"{PIECES[kind]}" for kind in step.pieces)
    return f"take off and build again any {kinds}"


@step_words.register
def _(step: ds.DeployAir) -> str:
    return f"deploy {_piece(step.force, 'air')}{place_words(step.spaces)}"


@step_words.register
def _(step: ds.MarshalAir) -> str:
    return f"marshal an Air Force{place_words(step.spaces)}"


@step_words.register
def _(step: ds.AirSuperiority) -> str:
    who = "" if step.force == "self" else f" with {force_words(step.force)}"
    return f"gain Air Superiority{place_words(step.spaces)}{who}"


@step_words.register
def _(step: ds.GainVp) -> str:
    return f"gain {amount_words(step.amount)} VP"


@step_words.register
def _(step: ds.Discard) -> str:
    number = amount_words(step.amount)
    kinds = " or ".join(_type(kind) for kind in step.card_types)
    chance = " at random" if step.random else ""
    words = " ".join(part for part in (kinds, "cards", _ZONES.get(step.zone, step.zone)) if part)
    return f"{_subject(step.who)}discard {number} {words}{chance}"


@step_words.register
def _(step: ds.UnlessDiscard) -> str:
    otherwise = _list_words(step.otherwise).lower()
    return f"{_subject(step.who)}discard {cards(step.n)}, or else {otherwise}"


@step_words.register
def _(step: ds.EwDiscard) -> str:
    target = step.target
    countries = target.choose if isinstance(target, ds.Choice) else (target,)
    who = " or ".join(map(force_words, countries))
    return f"Economic Warfare: {amount_words(step.amount)} cards from the deck of {who}"


@step_words.register
def _(step: ds.Draw) -> str:
    return f"{_subject(step.who)}draw {cards(step.n)}"


@step_words.register
def _(step: ds.Search) -> str:
    kind = _type(step.card_type)
    return f"take a {kind} card {_ZONES.get(step.zone, step.zone)}".replace("  ", " ")


@step_words.register
def _(step: ds.LookReorder) -> str:
    return f"look at the top {step.n} cards and order them"


@step_words.register
def _(step: ds.MoveCard) -> str:
    card = {None: "a hand card", "this": "this card"}.get(step.card.ref, "that card")
    return f"put {card} {_PLACES[step.to]}"


@step_words.register
def _(step: ds.PlaceCard) -> str:
    return f"{_subject(step.who)}put a {_type(step.card_type)} card on the table"


@step_words.register
def _(step: ds.PlayCard) -> str:
    kind = f"{_type(step.card_type)} " if step.card_type else ""
    return f"{_subject(step.who)}play a {kind}card {_ZONES.get(step.zone, step.zone)}"


@step_words.register
def _(step: ds.ReturnRandomDiscards) -> str:
    return f"put {amount_words(step.amount)} random discarded cards on top of the deck"


@step_words.register
def _(step: ds.PreventRemoval) -> str:
    what = query_words(step.query) if step.query is not None else "the piece"
    return f"{what} cannot be removed in this {step.duration}"


@step_words.register
def _(step: ds.GrantSupply) -> str:
    return f"{query_words(step.query)} is in supply this turn"


@step_words.register
def _(step: ds.Choose) -> str:
    return " or ".join(map(_list_words, step.options))


@step_words.register
def _(step: ds.AnyOrder) -> str:
    return " and ".join(map(step_words, step.steps))


@step_words.register
def _(step: ds.ChooseCountry) -> str:
    return _list_words(step.steps)


@step_words.register
def _(step: ds.ForEachCountry) -> str:
    return f"for each country: {_list_words(step.steps)}"


@step_words.register
def _(step: ds.If) -> str:
    return f"if the card's condition holds, {_list_words(step.steps)}"


@step_words.register
def _(step: ds.PayThen) -> str:
    return f"{_list_words(step.cost)} to {_list_words(step.steps)}"


_PLAIN: Final[Mapping[type[ds.Step], str]] = {
    ds.ModifyEwDiscard: "change the number of cards",
    ds.CancelCard: "that card has no effect",
    ds.DiscardStatus: "discard that Status",
    ds.SetFlag: "no Air Defense this turn",
}
