"""Checks where a position from outside stands: its frames, and what lasts until the end of its turn (9.9, 10.4)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.qmg import frames as fr
from engine.qmg.atlas import SPACE
from engine.qmg.ch08_turn import STAGES
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import STEP_LISTS, GrantSupply, PreventRemoval
from engine.qmg.ids import (
    COUNTRIES,
    ECONOMIC_WARFARE,
    FORCES,
    HIDDEN,
    KINDS,
    RESPONSE,
    STATUS,
    TEAMS,
)
from engine.qmg.position import Position

Problem = tuple[str, str]
"""Place in the file, and a sentence."""
_CARD_TYPES: Final = frozenset(card.type for card in CARD.values())
_KNOWN: Final[Mapping[str, tuple[Collection[str], str]]] = {
    "country": (COUNTRIES, "country"),
    "force": (FORCES, "force"),
    "owner": (FORCES, "force"),
    "by": (FORCES, "force"),
    "target": (FORCES, "force"),
    "against": (FORCES, "force"),
    "chosen": (FORCES, "force"),
    "each": (FORCES, "force"),
    "targets": (COUNTRIES, "country"),
    "cause": (TEAMS, "team"),
    "space": (SPACE, "space"),
    "origin": (SPACE, "space"),
    "spaces": (SPACE, "space"),
    "piece": (KINDS, "kind of piece"),
    "card": (CARD, "card"),
    "steps": (STEP_LISTS, "list of steps"),
    "types": (_CARD_TYPES, "type of card"),
}
"""What the words of a field must be; an empty word stands for none."""
_NEEDED: Final[Mapping[type[fr.FrameBase], tuple[str, ...]]] = {
    fr.TurnFrame: ("country",),
    fr.PlayStepFrame: ("country",),
    fr.UseFrame: ("country", "card"),
    fr.StepsFrame: ("steps",),
    fr.PlayFrame: ("country", "card"),
    fr.EwFrame: ("target", "cause", "by", "card"),
    fr.BattleFrame: ("by", "space", "piece"),
    fr.RemovalFrame: ("owner", "piece", "space", "by", "cause"),
    fr.SuperiorityFrame: ("force", "origin", "space"),
    fr.RepositionFrame: ("force", "space"),
    fr.HandDiscardFrame: ("country",),
    fr.ReallocateFrame: ("country",),
    fr.AirStepFrame: ("country",),
    fr.SupplyStepFrame: ("country",),
    fr.BonusFrame: ("country",),
    fr.DiscardStepFrame: ("country",),
    fr.SearchFrame: ("country",),
    fr.LookFrame: ("country",),
}
_STAGES: Final[Mapping[type[fr.FrameBase], Collection[str]]] = {
    fr.TurnFrame: STAGES,
    fr.UseFrame: ("", "declared", "paid", "over", "end"),
    fr.StepsFrame: ("", "inside", "pick", "built", "build:army", "build:navy"),
    fr.PlayFrame: ("", "target", "answered", "cost", "paid", "after", "end"),
    fr.EwFrame: ("", "reduced"),
    fr.BattleFrame: ("", "battled", "over", "end"),
    fr.RemovalFrame: ("", "asked", "defended", "take", "taken", "end"),
    fr.SuperiorityFrame: ("", "removed", "end"),
    fr.ReallocateFrame: ("", "search", "end"),
    fr.AirStepFrame: ("",),
}
_OF_A_PIECE: Final = ("space", "piece", "by")
_EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    **{
        f"{name}_begin": ("by",)
        for name in (
            "turn",
            "play_step",
            "air_step",
            "supply_step",
            "victory_step",
            "discard_step",
            "draw_step",
        )
    },
    "victory_step": ("by",),
    "discard_step": ("by",),
    **dict.fromkeys(
        (
            "built",
            "recruited",
            "battled",
            "about_to_be_removed",
            "removed",
            "air_deployed_or_marshaled",
        ),
        (*_OF_A_PIECE, "owner"),
    ),
    "battle": _OF_A_PIECE,
    "air_superiority_gained": ("by", "space", "origin"),
    "ew_played": ("by", "card"),
    "ew_targeted": ("by", "card", "targets"),
    "card_played": ("by", "card"),
    "status_use_declared": ("by", "card"),
    "bolster_use_declared": ("by", "card"),
    "status_used": ("by", "card"),
}
"""Events that open windows (10.3), and what must be known of them."""
_OF_THE_TURN: Final = (
    fr.TurnFrame,
    fr.PlayStepFrame,
    fr.AirStepFrame,
    fr.SupplyStepFrame,
    fr.BonusFrame,
    fr.DiscardStepFrame,
    fr.ReallocateFrame,
)
"""Frames of the country whose turn it is."""
_BEFORE_THE_TURNS: Final = (fr.SetupFrame, fr.ConstructionFrame)
_OUTERMOST: Final = (fr.TurnFrame, *_BEFORE_THE_TURNS)
_ZONES: Final = ("deck", "discard", "deck+discard")
_GOALS: Final = ("", "deck_top", "deck_bottom", "deck_shuffle", "hand")


def frame_problems(position: Position) -> Iterator[Problem]:
    """Yield what is wrong with the frames of a position."""
    for number, frame in enumerate(position.frames):
        path = f"$.frames[{number}]"
        if isinstance(frame, _OUTERMOST) != (number == 0):
            yield path, "a turn or the set-up is the outermost of what is going on (10.7)"
        if isinstance(frame, _OF_THE_TURN) and frame.country != position.active:
            yield path, "this belongs to the turn of another country (10.7)"
        if isinstance(frame, _BEFORE_THE_TURNS) == bool(position.active):
            yield path, "nobody's turn has come in the set-up, somebody's after it (3.1)"
        for name in _NEEDED.get(type(frame), ()):
            if not getattr(frame, name):
                yield f"{path}.{name}", "something must stand here"
        stage = getattr(frame, "stage", "")
        if type(frame) in _STAGES and stage not in _STAGES[type(frame)]:
            yield f"{path}.stage", f"there is no stage '{stage}' of it"
        yield from _word_problems(frame, path)
        check = _SPECIAL.get(type(frame))
        if check is not None:
            yield from ((path, sentence) for sentence in check(frame, position))


def _word_problems(part: msgspec.Struct, path: str) -> Iterator[Problem]:
    """Yield unknown names in the fields of a frame or a part of it."""
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if isinstance(value, fr.Trigger):
            yield from _event_problems(value, f"{path}.{name}")
        if isinstance(value, msgspec.Struct):
            yield from _word_problems(value, f"{path}.{name}")
        elif name in _KNOWN:
            known, what = _KNOWN[name]
            words = value if isinstance(value, tuple) else (value,)
            for word in words:
                shown = isinstance(part, fr.Trigger) and word == HIDDEN
                if word and word not in known and not shown:
                    yield f"{path}.{name}", f"there is no {what} '{word}'"


def _event_problems(event: fr.Trigger, path: str) -> Iterator[Problem]:
    if event.kind not in _EVENTS:
        yield path, f"there is no event '{event.kind}' (10.3)"
        return
    for name in ("cause", *_EVENTS[event.kind]):
        if not getattr(event, name):
            yield f"{path}.{name}", "something must stand here"
    if event.card == HIDDEN and event.kind != "card_played":
        yield f"{path}.card", "this card is known to all"


# -- what is special to one frame


def _setup(frame: fr.SetupFrame, position: Position) -> Iterator[str]:
    if len(frame.left) != len(COUNTRIES):
        yield "the set-up waits for six countries (3.1)"
        return
    for country, left in zip(COUNTRIES, frame.left, strict=True):
        zones = position.cards.get(country)
        if not 0 <= left <= (len(zones.hand) if zones is not None else 0):
            yield f"the hand of {country} does not hold so many cards (3.1)"


def _construction(frame: fr.ConstructionFrame, position: Position) -> Iterator[str]:
    if len(frame.left) != len(COUNTRIES):
        yield "six countries choose their decks (13.9)"
        return
    for country, left in zip(COUNTRIES, frame.left, strict=True):
        zones = position.cards.get(country)
        held = zones.hand if zones is not None else ()
        undecided = zones.deck if zones is not None else ()
        kinds = {kind: number for kind, number in position.limits.items() if number > 0}
        room = 0
        for kind, number in kinds.items():
            chosen = sum(card in CARD and CARD[card].type == kind for card in held)
            there = sum(card in CARD and CARD[card].type == kind for card in undecided)
            room += max(0, min(number - chosen, there))
        if left != room:
            yield f"{country} has {room} cards to choose (13.9)"


def _window(frame: fr.WindowFrame, position: Position) -> Iterator[str]:
    del position
    if not (0 <= frame.polled < 3 and 0 <= frame.passes < 2 and frame.turn >= 0):  # noqa: PLR2004 - countries of a team, passes that close it
        yield "no poll of a window stands there (10.4)"
    countries = [country for country, _ in frame.changes]
    if any(country not in COUNTRIES for country in countries):
        yield "only countries discard for Economic Warfare (11)"


def _use(frame: fr.UseFrame, position: Position) -> Iterator[str]:
    card = CARD.get(frame.card)
    if card is None or card.deck != frame.country:
        yield "a country uses its own cards (9.7)"
        return
    if not 0 <= frame.ability < len(card.abilities):
        yield "the card has no such ability"
        return
    in_play = frame.stage == "declared" and card.type != STATUS
    if in_play and _is_in(position, frame.country, frame.card, _ALL_ZONES):
        yield "the card in use is in no other place (10.4)"
    if not frame.stage and not _is_in(
        position, frame.country, frame.card, ("hand", "responses", "statuses")
    ):
        yield "a card that is declared lies on the table or in hand (10.4)"


def _is_in(position: Position, country: str, card: str, zones: tuple[str, ...]) -> bool:
    held = position.cards.get(country)
    return held is not None and any(card in getattr(held, zone) for zone in zones)


def _steps(frame: fr.StepsFrame, position: Position) -> Iterator[str]:
    del position
    if not 0 <= frame.at <= len(STEP_LISTS.get(frame.steps, ())):
        yield "the list has no such step"
    if frame.repeats < 0:
        yield "a step is repeated 0 times or more"
    if frame.source.card not in CARD or CARD[frame.source.card].deck != frame.source.owner:
        yield "a card belongs to the country of its deck (9.7)"
    for word in frame.rest:
        kind, colon, space = word.partition(":")
        is_piece = bool(colon) and kind in KINDS and space in SPACE
        if word and not is_piece and word not in SPACE and not word.isdecimal():
            yield f"'{word}' is nothing that a step could go through"


def _play(frame: fr.PlayFrame, position: Position) -> Iterator[str]:
    card = CARD.get(frame.card)
    if card is None or card.deck != frame.country:
        yield "a country plays its own cards (9.7)"
        return
    if card.type == RESPONSE:
        yield "a Response is laid, not carried out (9.2)"
    if card.type != ECONOMIC_WARFARE and frame.stage in {"target", "answered"}:
        yield "only Economic Warfare is played against somebody (11.1)"
    if card.on_play() is None and frame.stage in {"target", "answered", "cost", "paid"}:
        yield "the card has no text to carry out"
    if frame.to not in _GOALS:
        yield f"no card goes to '{frame.to}'"
    is_laid = card.type == STATUS and frame.stage in {"after", "end"}
    if _is_in(position, frame.country, frame.card, _ALL_ZONES) != is_laid:
        yield "the card in play is in no other place (10.7)"


_ALL_ZONES: Final = (
    "hand",
    "deck",
    "deck_top",
    "deck_bottom",
    "discard",
    "responses",
    "statuses",
)


def _economic_warfare(frame: fr.EwFrame, position: Position) -> Iterator[str]:
    del position
    if frame.target not in COUNTRIES or frame.amount < 0:
        yield "a country discards 0 cards or more (11.1)"


def _hand_discard(frame: fr.HandDiscardFrame, position: Position) -> Iterator[str]:
    zones = position.cards.get(frame.country)
    hand = len(zones.hand) if zones is not None else 0
    if not (frame.left >= 0 and frame.overflow >= 0 and frame.count >= 0):
        yield "numbers of cards are 0 or more (9.4)"
    elif not frame.optional and not frame.types and frame.left > hand:
        yield "the hand does not hold so many cards (9.4)"


def _air_step(frame: fr.AirStepFrame, position: Position) -> Iterator[str]:
    del position
    if frame.pending:
        force, *spaces = frame.pending
        if force not in FORCES or len(spaces) != 2 or any(one not in SPACE for one in spaces):  # noqa: PLR2004 - from and to
            yield "a Marshal has a force, an origin and a goal (13.3)"


def _supply_step(frame: fr.SupplyStepFrame, position: Position) -> Iterator[str]:
    del position
    for word in frame.left:
        force, _, piece = word.partition(":")
        kind, _, space = piece.partition(":")
        if force not in FORCES or kind not in KINDS or space not in SPACE:
            yield f"'{word}' is no piece"


def _search(frame: fr.SearchFrame, position: Position) -> Iterator[str]:
    del position
    if frame.zone not in _ZONES or frame.to not in {"hand", "statuses"} or frame.left < 0:
        yield "no search looks for cards so (9.3)"
    if frame.type not in {"", "basic", *_CARD_TYPES}:
        yield f"there is no type of card '{frame.type}'"


def _look(frame: fr.LookFrame, position: Position) -> Iterator[str]:
    zones = position.cards.get(frame.country)
    known = len(zones.deck_top) if zones is not None else 0
    if not 0 <= frame.ordered <= frame.total <= known:
        yield "so many cards were not looked at"


_SPECIAL: Final[Mapping[type[fr.FrameBase], Callable[[Any, Position], Iterator[str]]]] = {
    fr.SetupFrame: _setup,
    fr.ConstructionFrame: _construction,
    fr.WindowFrame: _window,
    fr.UseFrame: _use,
    fr.StepsFrame: _steps,
    fr.PlayFrame: _play,
    fr.EwFrame: _economic_warfare,
    fr.HandDiscardFrame: _hand_discard,
    fr.AirStepFrame: _air_step,
    fr.SupplyStepFrame: _supply_step,
    fr.SearchFrame: _search,
    fr.LookFrame: _look,
}


# -- the turn


def turn_problems(position: Position) -> Iterator[Problem]:
    """Yield what is wrong with what lasts until the end of the turn."""
    turn = position.turn
    for card in (*turn.blocked, *turn.discarded):
        if card not in CARD:
            yield "$.turn", f"there is no card '{card}'"
    for shield in turn.shields:
        yield from _word_problems(shield, "$.turn.shields")
        if shield.steps and not _is_step(shield.steps, shield.at, PreventRemoval):
            yield "$.turn.shields", "no step protects pieces there (10.5)"
        if not shield.steps and not (shield.force and shield.piece and shield.space):
            yield "$.turn.shields", "a protected piece has a force, a kind and a space (10.5)"
    for grant in turn.grants:
        yield from _word_problems(grant, "$.turn.grants")
        if not _is_step(grant.steps, grant.at, GrantSupply):
            yield "$.turn.grants", "no step grants supply there"


def _is_step(steps: str, at: int, kind: type[GrantSupply | PreventRemoval]) -> bool:
    found = STEP_LISTS.get(steps, ())
    return 0 <= at < len(found) and isinstance(found[at], kind)
