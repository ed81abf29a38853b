"""Describes lists of steps briefly, so that players can tell the parts of a card apart in a choice (A.2)."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.qmg import deck_steps as ds
from engine.qmg import deck_terms as dt
from engine.qmg.atlas import SPACE, mask, names, spaces_titled
from engine.qmg.deck import SNAPSHOTS
from engine.qmg.deck_steps import STEP_LISTS
from engine.qmg.ids import ALLIES, AXIS
from engine.qmg.phrases import (
    ADJECTIVES,
    FORCE_NAMES,
    PIECES,
    TEAM_NAMES,
    Words,
    capitalise_first,
    card_type_name,
    count_cards,
    fill_phrase,
    with_article,
)

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
_MAX_LISTED_SPACES: Final = 8
"""Maximum number of spaces to list."""


def describe_steps(name: str) -> str:
    """Return a description of a list of steps, as a sentence without a full stop.

    Args:
        name: The list's name in `STEP_LISTS`. An unknown or empty list is described as "Nothing".
    """
    return capitalise_first(_describe_list(STEP_LISTS.get(name, ())))


def _describe_list(steps: ds.Steps) -> str:
    """Return a description of a list of steps for use inside a sentence."""
    return ", then ".join(filter(None, map(_describe_step, steps))) or "nothing"


def _describe_step(step: ds.Step) -> str:
    """Return a description of one step, or an empty string for a bookkeeping step."""
    return " ".join(fill_phrase(_PHRASES.get(type(step), ""), _FIELD_WORDS, step).split())


def describe_owners(owners: dt.Owners) -> str:
    """Return a description of the pieces' owners, such as ``German or Italian``."""
    words = []
    for owner in dt.as_tuple(owners):
        if owner in ADJECTIVES:
            words.append(ADJECTIVES[owner])
        elif owner in (AXIS, ALLIES):
            words.append({AXIS: "Axis", ALLIES: "Allied"}[owner])
        else:
            words.append(_REFERENCES.get(owner, owner))
    return " or ".join(words)


def describe_force(selector: dt.Who) -> str:
    """Return the name of a country, team or reference for use inside a sentence."""
    force = selector.ref if isinstance(selector, dt.Ref) else selector
    return FORCE_NAMES.get(force) or TEAM_NAMES.get(force) or _REFERENCES.get(force, force)


def _describe_piece(owner: dt.Word, kind: str) -> str:
    noun = PIECES[kind]
    article = "an" if noun[0] == "A" else "a"
    if owner == "self":
        return f"{article} {noun}"
    if owner not in ADJECTIVES:
        return f"{article} {noun} of {describe_force(owner)}"
    owners_text = describe_owners(owner)
    return f"{'an' if owners_text[0] in 'AI' else 'a'} {owners_text} {noun}"


def describe_query(query: dt.Query) -> str:
    """Return a description of the pieces that a query matches."""
    kinds = " or ".join(PIECES.get(kind, kind) for kind in query.pieces)
    supplied_text = "supplied " if query.supplied else ""
    return f"{supplied_text}{describe_owners(query.owners)} {kinds}{describe_spaces(query.spaces)}"


def describe_spaces(spaces: dt.Selector) -> str:
    """Return a description of the allowed spaces, or an empty string if any space is allowed.

    The description begins with a space character.
    """
    if spaces == "any":
        return ""
    if not isinstance(spaces, dt.Region):
        return _space_names(spaces)
    if spaces.title_contains is not None:
        return _space_names(names(spaces_titled(spaces.title_contains)))
    if spaces.adjacent_to_pieces is not None:
        return f" next to {describe_query(spaces.adjacent_to_pieces)}"
    if spaces.with_piece is not None:
        return f" with {describe_query(spaces.with_piece)}"
    if spaces.snapshot is not None:
        return f" that had {describe_query(SNAPSHOTS[spaces.snapshot])} when the turn began"
    centre, min_distance, max_distance = spaces.ring()
    return f" {_describe_distance(min_distance, max_distance)} {_describe_centre(centre)}"


def _space_names(spaces: Iterable[str]) -> str:
    listed_names = [SPACE[name].name for name in names(mask(spaces))]
    if len(listed_names) > _MAX_LISTED_SPACES:
        listed_names = [*listed_names[:_MAX_LISTED_SPACES], "other spaces of the card"]
    return f" in {' or '.join(listed_names)}"


def _describe_distance(min_value: int, max_value: int) -> str:
    if max_value == 0:
        return "in"
    if max_value == 1:
        return "next to" if min_value else "in or next to"
    return f"within {max_value} spaces of"


def _describe_centre(centre: str | dt.Home) -> str:
    if isinstance(centre, dt.Home):
        return f"the Home of {_REFERENCES[centre.home_of]}"
    if centre == "step1.space":
        return "the space just used"
    return SPACE[centre].name if centre in SPACE else "that space"


def describe_amount(amount: dt.Amount) -> str:
    """Return a fixed number as text. For any other number, return a description of how it is determined."""
    if isinstance(amount, int):
        return str(amount)
    if amount.per is not None:
        return f"{amount.each} per {describe_query(amount.per)}"
    if amount.condition is not None:
        return f"{amount.then} or {amount.otherwise}"
    return f"up to {amount.most}" if amount.most else "as many"


def _describe_count(count: dt.Count) -> str:
    if count.most == 1:
        return ""
    return f", {count.most} times" if count.least == count.most else f", up to {count.most} times"


def _describe_partner(partner: dt.Who) -> str:
    return "" if partner == "self" else f" with {describe_force(partner)}"


def _describe_battle_target(step: ds.BattleEffect) -> str:
    """Return a description of a battle's target: the named spaces, or the kind of space."""
    spaces_text = describe_spaces(step.spaces)
    if spaces_text.startswith(" in ") and not spaces_text.startswith(" in or "):
        return spaces_text.removeprefix(" in ")
    return {"land": "a land space", "sea": "a sea space"}.get(step.kind, "a space") + spaces_text


def _join_kinds(kinds: Iterable[str], joint: str = " or ") -> str:
    return joint.join(PIECES[kind] for kind in kinds)


def _describe_targets(target: dt.Word | ds.CountryChoice) -> str:
    countries = target.choose if isinstance(target, ds.CountryChoice) else (target,)
    return " or ".join(map(describe_force, countries))


_FIELD_WORDS: Final[Words] = {
    "a_piece": lambda step: _describe_piece(step.force, step.piece),
    "an_air": lambda step: _describe_piece(step.force, "air"),
    "piece": lambda step: _REFERENCES.get(getattr(step.piece, "ref", "")) or PIECES[step.piece],
    "pieces": lambda step: with_article(_join_kinds(step.pieces)),
    "all": lambda step: _join_kinds(step.pieces, " and "),
    "whose": lambda step: describe_owners(step.owners),
    "where": lambda step: describe_spaces(step.spaces),
    "times": lambda step: _describe_count(step.count),
    "battled": _describe_battle_target,
    "beside": lambda step: (
        f" beside a supplied {_join_kinds([step.from_piece])}" if step.from_piece else ""
    ),
    "with": lambda step: _describe_partner(step.force),
    "who": lambda step: "" if step.who == "self" else f"{describe_force(step.who)}: ",
    "amount": lambda step: describe_amount(step.amount),
    "cards": lambda step: count_cards(step.n),
    "type": lambda step: card_type_name(step.card_type),
    "types": lambda step: " or ".join(map(card_type_name, step.card_types)),
    "zone": lambda step: _ZONES[step.zone],
    "chance": lambda step: "at random" if step.random else "",
    "target": lambda step: _describe_targets(step.target),
    "card": lambda step: {None: "a hand card", "this": "this card"}.get(step.card.ref, "that card"),
    "to": lambda step: _PLACES[step.to],
    "query": lambda step: "the piece" if step.query is None else describe_query(step.query),
    "steps": lambda step: _describe_list(step.steps),
    "cost": lambda step: _describe_list(step.cost),
    "otherwise": lambda step: _describe_list(step.steps).lower(),
    "either": lambda step: " or ".join(map(_describe_list, step.parts)),
    "each": lambda step: " and ".join(map(_describe_list, step.parts)),
}
"""The functions that return the text for each placeholder in a step phrase."""
_PHRASES: Final[Mapping[type[ds.Step], str]] = {
    ds.BuildEffect: "build {a_piece}{where}{times}",
    ds.RecruitEffect: "recruit {a_piece}{where}{times}",
    ds.BattleEffect: "battle {battled}{beside}{with}{times}",
    ds.EliminateEffect: "eliminate {whose} {piece}{where}{times}",
    ds.EliminateAir: "eliminate {whose} Air Force{where}",
    ds.RemoveOwn: "{who}take {pieces} of its own off the board{where}",
    ds.RebuildEach: "take off and build again any {all}",
    ds.DeployAir: "deploy {an_air}{where}",
    ds.MarshalAir: "marshal an Air Force{where}",
    ds.AirSuperiority: "gain Air Superiority{where}{with}",
    ds.GainVp: "gain {amount} VP",
    ds.DiscardEffect: "{who}discard {amount} {types} cards {zone} {chance}",
    ds.UnlessDiscard: "{who}discard {cards}, or else {otherwise}",
    ds.EwDiscard: "Economic Warfare: {amount} cards from the deck of {target}",
    ds.ModifyEwDiscard: "change the number of cards",
    ds.CancelCard: "that card has no effect",
    ds.DiscardStatus: "discard that Status",
    ds.Draw: "{who}draw {cards}",
    ds.Search: "take a {type} card {zone}",
    ds.LookReorder: "look at the top {cards} and order them",
    ds.MoveCard: "put {card} {to}",
    ds.PlaceCard: "{who}put a {type} card on the table",
    ds.PlayCard: "{who}play a {type} card {zone}",
    ds.ReturnRandomDiscards: "put {amount} random discarded cards on top of the deck",
    ds.PreventRemoval: "{query} cannot be removed in this {duration}",
    ds.GrantSupply: "{query} is in supply this turn",
    ds.SetFlag: "no Air Defense this turn",
    ds.ChooseEffect: "{either}",
    ds.AnyOrder: "{each}",
    ds.ChooseCountry: "{steps}",
    ds.ForEachCountry: "for each country: {steps}",
    ds.If: "if the card's condition holds, {steps}",
    ds.PayThen: "{cost} to {steps}",
}
"""Phrases by step type. Bookkeeping steps have no phrase."""
