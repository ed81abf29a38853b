"""Evaluates the terms of card data on the live board (A.1)."""

import msgspec

from engine.qmg import deck_terms as dt
from engine.qmg.atlas import BIT, EVERYWHERE, INDEX, LAND
from engine.qmg.deck import CARD
from engine.qmg.deck_terms import ANYWHERE
from engine.qmg.field import Field, field, owners, ring, rule_changes
from engine.qmg.frames import Binds, Trigger
from engine.qmg.ids import ALLIES, AXIS, COUNTRIES, DECIDER, HIDDEN, MEMBERS, TEAM_OF
from engine.qmg.state import State


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What a card's text refers to on the open table: the board, whose card it is, what set it off.

    Cards are not looked at: what the text asks of them is taken to be so.
    """

    field: Field
    owner: str
    active: str
    trigger: Trigger | None = None
    binds: Binds = Binds()
    target: str = ""
    """One of several targets of an Economic Warfare card, while a boost is reckoned for it."""

    def at_turn_begin(self) -> Field:
        """Return the board that a snapshot looks at: without a state the present one."""
        return self.field

    def has_card(self, condition: dt.HasCard) -> bool:
        """Return whether a zone holds a card of a type."""
        del condition
        return True

    def number_discarded(self, card_type: str) -> int:
        """Return how many cards of a type this Discard step has cost."""
        del card_type
        return 0


class Context(Scene, frozen=True, kw_only=True):
    """The same with everything else, for the rules."""

    state: State

    def at_turn_begin(self) -> Field:
        """Return the board of the turn's beginning (17.6)."""
        return Field(self.state.turn.begin, rule_changes(self.state), (), strict=False)

    def has_card(self, condition: dt.HasCard) -> bool:
        """Return whether a zone holds a card of a type, as far as this copy knows."""
        cards = self.state.cards_of(country_of(condition.who, self))
        zone = cards.discard if condition.zone == "discard" else cards.hand
        return any(card != HIDDEN and CARD[card].type == condition.card_type for card in zone)

    def number_discarded(self, card_type: str) -> int:
        """Return how many cards of a type this Discard step has cost, as far as this copy knows."""
        return sum(
            card != HIDDEN and CARD[card].type == card_type for card in self.state.turn.discarded
        )


def context(
    state: State, owner: str, trigger: Trigger | None = None, binds: Binds | None = None
) -> Context:
    """Return the context of a card's text."""
    return Context(
        state=state,
        field=field(state),
        owner=owner,
        active=state.active,
        trigger=trigger,
        binds=binds or Binds(),
    )


def force_of(word: str, at: Scene) -> str:
    """Return the force or country that a word of a card means; empty when it means none."""
    match word:
        case "" | "self":
            return at.owner
        case "each":
            return at.binds.each
        case "chosen":
            return at.binds.chosen
        case "trigger.by":
            return at.trigger.by if at.trigger is not None else ""
        case "trigger.target":
            if at.target or at.trigger is None:
                return at.target
            return at.trigger.targets[0] if at.trigger.targets else ""
        case _:
            return word


def country_of(word: str, at: Scene) -> str:
    """Return the country with cards that a word means: the UK for France, the USA for China (A.1.2)."""
    force = force_of(word, at)
    return DECIDER[force] if force else ""


def decider_of(word: str, at: Scene) -> str:
    """Return the country that decides within a card: its owner for a force without cards (9.7, A.1.2)."""
    force = force_of(word, at)
    return force if force in COUNTRIES else at.owner


def forces_of(words: tuple[str, ...], at: Scene) -> tuple[str, ...]:
    """Return the forces that names of owners mean."""
    if len(words) == 1 and words[0] in {"each", "chosen"}:
        return (force_of(words[0], at),)
    return owners(words, at.owner)


def spaces_of(selector: dt.Selector, at: Scene) -> int:
    """Return the spaces that a selector means (A.1.6)."""
    if isinstance(selector, dt.Named):
        return selector.spaces
    if isinstance(selector, dt.Near):
        centre = _centre(selector.of, at)
        return ring(at.field, at.owner, centre, selector) if centre else 0
    if isinstance(selector, dt.NextTo):
        return at.field.around(TEAM_OF[at.owner], _where(selector.query, at))
    if isinstance(selector, dt.Holding):
        return _where(selector.query, at)
    return _where(selector.query, msgspec.structs.replace(at, field=at.at_turn_begin()))


def _centre(word: str, at: Scene) -> int:
    if word.startswith("home:"):
        force = force_of(word[5:], at)
        return at.field.homes(force) if force else 0
    if word == "trigger.space":
        return BIT[at.trigger.space] if at.trigger is not None and at.trigger.space else 0
    if word.startswith("step"):
        number = int(word[4:].partition(".")[0]) - 1
        used = at.binds.spaces
        return BIT[used[number]] if number < len(used) and used[number] else 0
    return BIT[word]


def _where(query: dt.Query, at: Scene) -> int:
    found = 0
    for _, _, spaces in pieces(query, at):
        found |= spaces
    return found


def pieces(query: dt.Query, at: Scene) -> list[tuple[str, str, int]]:
    """Return force, kind and spaces of the pieces that match a query."""
    chosen = EVERYWHERE if query.spaces is ANYWHERE else spaces_of(query.spaces, at)
    chosen &= ~query.not_spaces
    return list(at.field.pieces_in(query, forces_of(query.owners, at), chosen))


def number(query: dt.Query, at: Scene) -> int:
    """Return how many pieces match a query."""
    return sum(spaces.bit_count() for _, _, spaces in pieces(query, at))


def holds(condition: dt.Condition | None, at: Scene) -> bool:
    """Return whether a condition holds on the live board."""
    if condition is None:
        return True
    if isinstance(condition, dt.Exists):
        return number(condition.query, at) >= condition.n
    if isinstance(condition, dt.Not):
        return not holds(condition.condition, at)
    if isinstance(condition, dt.Both):
        return all(holds(part, at) for part in condition.conditions)
    return at.has_card(condition)


def amount_of(amount: dt.Amount, at: Scene) -> int:
    """Return an amount, at least 0 (A.1.4)."""
    return max(0, signed_amount(amount, at))


def signed_amount(amount: dt.Amount, at: Scene) -> int:
    """Return an amount that may be negative, such as a reduction."""
    if isinstance(amount, dt.Fixed):
        return amount.n
    if isinstance(amount, dt.Per):
        return number(amount.query, at) * amount.each
    if isinstance(amount, dt.Either):
        return amount.then if holds(amount.condition, at) else amount.otherwise
    if isinstance(amount, dt.Recorded):
        return next((n for name, n in at.binds.numbers if name == amount.name), 0)
    return at.number_discarded(amount.card_type)


# -- triggers


def is_match(wanted: dt.TriggerFilter, event: Trigger, at: Scene) -> bool:
    """Return whether an event sets a reaction off (A.4); the kind is known to be right."""
    return (
        _who_matches(wanted, event, at)
        and _piece_matches(wanted, event, at)
        and _place_matches(wanted, event, at)
        and _card_matches(wanted, event)
    )


def _among(words: tuple[str, ...], force: str, at: Scene) -> bool:
    return force in forces_of(words, at)


def _who_matches(wanted: dt.TriggerFilter, event: Trigger, at: Scene) -> bool:
    if wanted.whose and event.by != at.owner:
        return False
    if wanted.by and not _among(wanted.by, event.by, at):
        return False
    if wanted.owner and not _among(wanted.owner, event.owner, at):
        return False
    if wanted.country and at.owner not in event.targets:
        return False
    if wanted.own_turn and at.active != at.owner:
        return False
    return not (wanted.against and event.against != wanted.against)


def _piece_matches(wanted: dt.TriggerFilter, event: Trigger, at: Scene) -> bool:
    if wanted.piece and wanted.piece not in {"any", event.piece}:
        return False
    if wanted.last and not event.last:
        return False
    if not wanted.supplied:
        return True
    if wanted.event == "removed":
        return event.was_supplied
    return bool(at.field.supplied_of(event.owner, event.piece) & BIT[event.space])


def _place_matches(wanted: dt.TriggerFilter, event: Trigger, at: Scene) -> bool:
    if wanted.space_kind:
        is_land = bool(LAND & BIT[event.space])
        if is_land != (wanted.space_kind == "land"):
            return False
    if wanted.spaces is not None and not spaces_of(wanted.spaces, at) & BIT[event.space]:
        return False
    near = wanted.adjacent_to_piece
    if near is None:
        return True
    team = TEAM_OF[at.owner]
    return bool(at.field.adjacent(team)[INDEX[event.space]] & _where(near, at))


def _card_matches(wanted: dt.TriggerFilter, event: Trigger) -> bool:
    if wanted.step and event.step != wanted.step:
        return False
    if not (wanted.tag or wanted.card_type or wanted.not_card_type):
        return True
    if event.card == HIDDEN:
        kind = "response"
        tags: tuple[str, ...] = ()
    else:
        card = CARD[event.card]
        kind, tags = card.type, card.tags
    if wanted.tag and wanted.tag not in tags:
        return False
    if wanted.card_type and kind != wanted.card_type:
        return False
    return kind not in wanted.not_card_type


def enemies(force: str) -> tuple[str, ...]:
    """Return the forces of the other team."""
    return MEMBERS[ALLIES if TEAM_OF[force] == AXIS else AXIS]
