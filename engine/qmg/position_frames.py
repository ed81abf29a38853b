"""Checks an untrusted position's frames, and the data that lasts until the end of the turn (9.9, 10.4).

Each word and number has already been checked against its field's type. These checks cover combinations of values.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import asdict

from engine.qmg import frames as fr
from engine.qmg.atlas import SPACE
from engine.qmg.ch08_turn import TURN_STAGES
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import STEP_LISTS, GrantSupply, PreventRemoval
from engine.qmg.ids import COUNTRIES, ECONOMIC_WARFARE, FORCES, HIDDEN, RESPONSE, STATUS
from engine.qmg.names import Problem
from engine.qmg.position import Position, Zones, piles

_STEPS: Final = (
    "turn",
    "play_step",
    "air_step",
    "supply_step",
    "victory_step",
    "discard_step",
    "draw_step",
)
_EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    kind: ("cause", "by", *needed)
    for needed, kinds in (
        ((), (*(f"{step}_begin" for step in _STEPS), "victory_step", "discard_step")),
        (("space", "piece"), ("battle",)),
        (("space", "piece", "owner"), ("built", "recruited", "battled", "about_to_be_removed")),
        (("space", "piece", "owner"), ("removed", "air_deployed_or_marshaled")),
        (("space", "origin"), ("air_superiority_gained",)),
        (("card",), ("ew_played", "card_played", "status_used")),
        (("card",), ("status_use_declared", "bolster_use_declared")),
        (("card", "targets"), ("ew_targeted",)),
    )
    for kind in kinds
}
"""Events that open windows, with the fields that each event requires (10.3)."""
_ACTIVE_COUNTRY_FRAMES: Final = (
    fr.TurnFrame,
    fr.PlayStepFrame,
    fr.AirStepFrame,
    fr.SupplyStepFrame,
    fr.BonusFrame,
    fr.DiscardStepFrame,
    fr.ReallocateFrame,
)
"""Frames that belong to the active country."""
_FRAMES_BEFORE_TURNS: Final = (fr.SetupFrame, fr.ConstructionFrame)
_OUTERMOST: Final = (fr.TurnFrame, *_FRAMES_BEFORE_TURNS)


def frame_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with the frames of a position."""
    for number, frame in enumerate(position.frames):
        path = f"$.frames[{number}]"
        if isinstance(frame, _OUTERMOST) != (number == 0):
            yield (
                path,
                "only the outermost frame can be a turn or set-up, and it must be one (10.7)",
            )
        if isinstance(frame, _ACTIVE_COUNTRY_FRAMES) and frame.country != position.active:
            yield path, "this belongs to the turn of another country (10.7)"
        if isinstance(frame, _FRAMES_BEFORE_TURNS) == bool(position.active):
            yield (
                path,
                "no country is active during set-up, and one country is active afterwards (3.1)",
            )
        if isinstance(frame, fr.WindowFrame | fr.UseFrame) and frame.trigger is not None:
            yield from _event_problems(frame.trigger, f"{path}.trigger")
        if isinstance(frame, fr.StepsFrame) and frame.source.trigger is not None:
            yield from _event_problems(frame.source.trigger, f"{path}.source.trigger")
        yield from ((path, sentence) for sentence in _frame_content_problems(frame, position))


def _event_problems(event: fr.Trigger, path: str) -> Iterator[Problem]:
    if event.kind not in _EVENTS:
        yield path, f"there is no event '{event.kind}' (10.3)"
        return
    words = asdict(event)
    for name in _EVENTS[event.kind]:
        if not words[name]:
            yield f"{path}.{name}", "this must not be empty"
    if event.card == HIDDEN and event.kind != "card_played":
        yield f"{path}.card", "this card is known to everyone"


def _frame_content_problems(frame: fr.Frame, position: Position) -> Iterator[str]:
    """Yield problems within one frame."""
    match frame:
        case fr.TurnFrame(stage=stage) if stage not in TURN_STAGES:
            yield f"it has no stage '{stage}'"
        case fr.SetupFrame(left=roles_left):
            for country, cards in zip(COUNTRIES, roles_left, strict=True):
                yield from _hand_size_problems(position, country, cards, "3.1")
        case fr.ConstructionFrame():
            yield from _construction_problems(frame, position)
        case fr.UseFrame():
            yield from _use_problems(frame, position)
        case fr.StepsFrame():
            # The index after the last step is allowed, because a list ends only when its frame is
            # on top again.
            if frame.at > len(STEP_LISTS[frame.steps]):
                yield "the list has no such step"
            if CARD[frame.source.card].deck != frame.source.owner:
                yield "a card belongs to the country of its deck (9.7)"
        case fr.PlayFrame():
            yield from _play_problems(frame, position)
        case fr.HandDiscardFrame(optional=False, types=()):
            yield from _hand_size_problems(position, frame.country, frame.left, "9.4")
        case fr.LookFrame(ordered=ordered, total=total):
            if not ordered <= total <= len(_zones_of(position, frame.country).deck_top):
                yield "the country has not looked at that many cards"
        case fr.AirStepFrame(pending=pending) if pending and not _is_marshal_choice(pending):
            yield "a Marshal needs a force, an origin and a destination (13.3)"
        case _:
            return


def _zones_of(position: Position, country: str) -> Zones:
    return position.cards.get(country, Zones())


def _hand_size_problems(position: Position, country: str, cards: int, rule: str) -> Iterator[str]:
    if cards > len(_zones_of(position, country).hand):
        yield f"the hand of {country} does not contain that many cards ({rule})"


def _is_marshal_choice(words: tuple[str, ...]) -> bool:
    force, *spaces = words
    return force in FORCES and len(spaces) == 2 and set(spaces) <= SPACE.keys()  # noqa: PLR2004 - from and to


def _construction_problems(frame: fr.ConstructionFrame, position: Position) -> Iterator[str]:
    for country, choices_left in zip(COUNTRIES, frame.left, strict=True):
        zones = _zones_of(position, country)
        type_counts = Counter[str](CARD[card].type for card in zones.hand)
        undecided = Counter[str](CARD[card].type for card in zones.deck)
        room = sum(
            max(0, min(number - type_counts[kind], undecided[kind]))
            for kind, number in position.limits.items()
        )
        if choices_left != room:
            yield f"{country} has {room} cards to choose (13.9)"


def _use_problems(frame: fr.UseFrame, position: Position) -> Iterator[str]:
    card = CARD[frame.card]
    if card.deck != frame.country:
        yield "a country can only use its own cards (9.7)"
    elif frame.ability >= len(card.abilities):
        yield "the card has no such ability"
    zones = _zones_of(position, frame.country)
    if frame.stage == "declared" and card.type != STATUS and _is_in(zones, frame.card):
        yield "the card in use cannot be in any other place (10.4)"
    if not frame.stage and frame.card not in (*zones.hand, *zones.responses, *zones.statuses):
        yield "a declared card must be on the table or in hand (10.4)"


def _is_in(zones: Zones, card: str) -> bool:
    return any(card in pile for _, pile in piles(zones))


def _play_problems(frame: fr.PlayFrame, position: Position) -> Iterator[str]:
    card = CARD[frame.card]
    if card.deck != frame.country:
        yield "a country can only play its own cards (9.7)"
    if card.type == RESPONSE:
        yield "a Response is laid, not carried out (9.2)"
    if card.type != ECONOMIC_WARFARE and frame.stage in {"target", "answered"}:
        yield "only Economic Warfare is played against a country (11.1)"
    if card.on_play() is None and frame.stage in {"target", "answered", "cost", "paid"}:
        yield "the card has no text to carry out"
    is_laid = card.type == STATUS and frame.stage in {"after", "end"}
    if _is_in(_zones_of(position, frame.country), frame.card) != is_laid:
        yield "the card in play cannot be in any other place (10.7)"


# -- the turn


def turn_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with the step and with data that lasts until the end of the turn."""
    steps = tuple(step.removesuffix("_step") for step in _STEPS[1:])
    if position.step and position.step not in steps:
        yield "$.step", f"a turn has no step '{position.step}': {', '.join(steps)} (8.1)"
    for shield in position.turn.shields:
        if shield.steps and not _is_step_of_kind(shield.steps, shield.at, PreventRemoval):
            yield "$.turn.shields", "no step protects pieces there (10.5)"
        if not shield.steps and not (shield.force and shield.piece and shield.space):
            yield "$.turn.shields", "a protected piece needs a force, a kind and a space (10.5)"
    for grant in position.turn.grants:
        if not _is_step_of_kind(grant.steps, grant.at, GrantSupply):
            yield "$.turn.grants", "no step grants supply there"


def _is_step_of_kind(steps: str, index: int, kind: type[GrantSupply | PreventRemoval]) -> bool:
    step_list = STEP_LISTS[steps]
    return 0 <= index < len(step_list) and isinstance(step_list[index], kind)
