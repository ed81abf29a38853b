"""News since the player's last move, and the end-of-turn report with one line per cause."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from engine.eots.ch16_victory.will import progress_of_war
from engine.eots.combined_sentences import NationWillMerger
from engine.eots.counters import counters
from engine.eots.deck import cards as deck
from engine.eots.events import battle, cards, flow, offensive, tracks, units
from engine.eots.forecast.table import state_from_view
from engine.eots.frames import BattleFrame, Phase, TurnFrame
from engine.eots.ids import CardId, Side, UnitId
from engine.eots.prose import SIDES, WILL, describe
from engine.eots.view import EotsView
from engine.kernel.sentences import count_noun, pluralise
from play.event_history import SeenEvent
from tui.eots.texts import ADJECTIVES, card_name, place_name, short_name, turn_name
from tui.panels.playback_step import News, unwrapped_events

_MAX_NAMES: Final = 4
"""Maximum number of names on a line. Further names are only counted."""
_SEGMENTS_BETWEEN: Final = (
    Phase.NATIONAL_STATUS,
    Phase.POLITICAL_WILL,
    Phase.ATTRITION,
    Phase.END_OF_TURN,
    Phase.REINFORCEMENT,
    Phase.REPLACEMENT,
    Phase.STRATEGIC_WARFARE,
    Phase.DEAL,
)
"""The segments between the last offensive of a turn and the first offensive of the next."""
_REPORTED_EVENTS: Final = (
    tracks.WarInEuropeMoved,
    tracks.ChinaFrontMoved,
    tracks.IndiaMoved,
    tracks.NationSurrendered,
    tracks.NationRecaptured,
    tracks.RivalrySet,
    tracks.AspLevelChanged,
    tracks.EscortsSet,
    tracks.GroundStepsCut,
    tracks.ReinforcementsDelayed,
    tracks.MarkerSet,
    tracks.TokyoExpressMoved,
    tracks.RouteBuilt,
    tracks.MandatesGained,
    flow.GameEnded,
)
"""Track and marker events, which are reported in the wording of the log."""
_TURN_END_EVENTS: Final = (
    *_REPORTED_EVENTS,
    tracks.SubmarineWarfareResolved,
    tracks.BombingResolved,
    tracks.DivisionsLeftChina,
    units.ControlChanged,
    cards.DeckReshuffled,
)
_LOSS_REASONS: Final = {
    "6.24": "by attrition",
    "8.24": "over the stacking limit",
    "8.34": "over the stacking limit",
    "8.48": "over the stacking limit",
}
_MAX_SINGLE_CARDS: Final = 2
"""Maximum number of cards to list individually."""
_TURN_END_SEGMENTS: Final = _SEGMENTS_BETWEEN[:4]
"""The segments at the end of a turn."""
_PROGRESS_RULE: Final = "16.47"
_DELAY_RULE_PREFIX: Final = "10.2"
"""Prefix of the rule numbers for delayed reinforcements."""


# -- since the player's last move


def news(
    seen_events: Sequence[SeenEvent], view_before: EotsView, view_after: EotsView
) -> tuple[News, ...]:
    """Return news since the player's last move: first captures and losses, then tracks, cards and forces.

    The player's own actions are left out, except for their battles.
    """
    events = unwrapped_events(seen_events)
    others_events = tuple(_others_events(seen_events, view_before))
    turn_text = f"Turn {view_after.turn}, {turn_name(view_after.turn)}, has begun"
    return (
        *([News(turn_text)] if view_after.turn != view_before.turn else ()),
        *_cancellation_news(events, view_before),
        *_battle_news(seen_events, _battle_in_progress(view_before), view_after.side),
        *_capture_news(others_events, view_before, view_after),
        *_other_loss_news(seen_events, is_in_battle=bool(_battle_in_progress(view_before))),
        *_will_news(events, view_before),
        *(News(describe(event)) for event in others_events if isinstance(event, _REPORTED_EVENTS)),
        *_card_news(seen_events),
        *_force_news(
            seen_events, None if view_before.offensive is None else view_before.offensive.side
        ),
    )


def _others_events(seen_events: Sequence[SeenEvent], view_before: EotsView) -> Iterator[Any]:
    """Yield every event except the effects of the player's own cards and moves. The player's battles are included."""
    battle_hex = _battle_in_progress(view_before)
    for seen_event in seen_events:
        match seen_event.event:
            case battle.BattleBegan(at=hex_id):
                battle_hex = hex_id
            case offensive.BattleResolved():
                battle_hex = ""
            case event if battle_hex or not _is_own_action(seen_event, view_before.side):
                yield event
            case _:
                pass


def _is_own_action(seen_event: SeenEvent, side: Side | None) -> bool:
    """Return whether an event is the effect of one of the player's own cards or moves.

    Checking who gave the command is not enough, because a player's answer can also let the enemy's action continue.
    """
    event = seen_event.event
    card = deck().get(CardId(str(getattr(event, "rule", ""))))
    acting_side = getattr(event, "side", None) if card is None else card.side
    return seen_event.is_own and side is not None and acting_side is side


def _cancellation_news(events: Iterable[Any], view_before: EotsView) -> Iterator[News]:
    """Yield the cancelled offensives, with the cards that cancelled them (5.32D)."""
    side = None if view_before.offensive is None else view_before.offensive.side
    card = ""
    for event in events:
        match event:
            case offensive.OffensiveBegan(side=began):
                side = began
            case cards.CardPlayed(card=played_card):
                card = card_name(played_card)
            case offensive.OffensiveCancelled(rule=rule) if side is not None:
                by_card = f" by {card}" if card else ""
                yield News(
                    f"The {ADJECTIVES[side]} offensive is cancelled{by_card}: "
                    f"its units are back where they started ({rule})"
                )
            case _:
                pass


def _battle_in_progress(view: EotsView) -> str:
    """Return the hex of the battle in progress; empty if no battle is in progress (9.0)."""
    hexes = (frame.hex for frame in view.frames if isinstance(frame, BattleFrame) and frame.begun)
    return next(hexes, "")


def _will_news(events: Sequence[Any], view_before: EotsView) -> Iterator[News]:
    for line in _will_lines(
        events, view_before.tracks.political_will, _missed_hexes_text(events, view_before)
    ):
        yield News(line)


def _will_lines(events: Iterable[Any], political_will: int, missed_text: str) -> Iterator[str]:
    """Yield every change in Political Will, with its cause (16.4).

    Args:
        events: Events to report.
        political_will: Political Will before the events.
        missed_text: Why the Allies missed the Progress of the War; empty for the general wording.
    """
    nations = NationWillMerger()
    for event in events:
        cause = nations.cause(event)
        if isinstance(event, tracks.PoliticalWillMoved):
            card = deck().get(CardId(event.rule))
            reason = WILL.get(event.rule, "") if card is None else card.title
            reason = (
                missed_text if missed_text and event.rule == _PROGRESS_RULE else cause or reason
            )
            verb = (
                "rises"
                if event.to > political_will
                else "falls"
                if event.to < political_will
                else "stays"
            )
            change = (
                f"at {political_will}"
                if event.to == political_will
                else f"from {political_will} to {event.to}"
            )
            yield f"US Political Will {verb} {change}: {reason} ({event.rule})"
            political_will = event.to


def _missed_hexes_text(events: Iterable[Any], view_before: EotsView) -> str:
    """Return how many hexes the Allies had taken when they missed the Progress of the War (16.47).

    The text is empty if they reached it, or if `view_before` is from an earlier turn.
    """
    japan = {*view_before.japan_controls}
    for event in events:
        match event:
            case tracks.PoliticalWillMoved(rule=rule) if rule == _PROGRESS_RULE:
                view_then = replace(view_before, japan_controls=tuple(sorted(japan)))
                progress = progress_of_war(state_from_view(view_then))
                if progress is None:
                    return ""
                required_text = pluralise(progress.quota, "hex", "hexes")
                return f"the Allies took {len(progress.taken)} of the {required_text} that the turn required"
            case units.ControlChanged(hexes=hexes, side=Side.JAPAN):
                japan.update(hexes)
            case units.ControlChanged(hexes=hexes):
                japan.difference_update(hexes)
            case flow.TurnBegan() | tracks.AspQuotaFixed():
                return ""
            case _:
                pass
    return ""


def _battle_news(
    seen_events: Sequence[SeenEvent], battle_hex: str, reader: Side | None
) -> Iterator[News]:
    """Yield one line per battle: its winners and both sides' losses.

    Args:
        seen_events: Events to report.
        battle_hex: Hex of a battle that was already in progress; empty if no battle was in progress.
        reader: Side whose losses come first; None for a spectator.
    """
    at, winning_sides, lost_units = battle_hex, list[tuple[Side, str]](), list[UnitId]()
    fighting: tuple[UnitId, ...] = ()
    for seen_event in seen_events:
        match seen_event.event:
            case battle.BattleBegan(at=began, units=fighting):
                at, winning_sides, lost_units = began, [], []
            case battle.AirNavalDecided(winner=winner) if at:
                winning_sides.append((winner, "in the air and at sea"))
            case battle.GroundDecided(winner=winner) if at:
                winning_sides.append((winner, "on the ground"))
            case units.StepLost(unit=unit) | units.UnitEliminated(unit=unit) if at:
                lost_units.append(unit)
            case offensive.BattleResolved() if at:
                if not winning_sides and not lost_units and fighting:
                    verb = "enters" if len(fighting) == 1 else "enter"
                    yield News(f"{_unit_names(fighting)} {verb} {place_name(at)} unopposed", at)
                else:
                    result = _winners_text(winning_sides) or "no winner"
                    yield News(
                        f"Battle of {place_name(at)}: {result}{_losses_text(lost_units, reader)}",
                        at,
                    )
                at = ""
    if at and (winning_sides or lost_units):
        result = _winners_text(winning_sides) or "not yet over"
        yield News(f"Battle of {place_name(at)}: {result}{_losses_text(lost_units, reader)}", at)


def _winners_text(winning_sides: Sequence[tuple[Side, str]]) -> str:
    """Return the winner of each part of a battle. If one side won every part, name that side only once."""
    sides = [side for side, _ in winning_sides]
    if len(sides) > 1 and len(set(sides)) == 1:
        return f"{_side_in_sentence(sides[0], 'wins', 'win')} in the air, at sea and on the ground"
    return ", ".join(
        f"{_side_in_sentence(side, 'wins', 'win')} {place_text}"
        for side, place_text in winning_sides
    )


def _side_in_sentence(side: Side, singular: str, plural: str) -> str:
    """Return a side's name with a verb, for the middle of a sentence."""
    text = pluralise(SIDES[side], singular, plural)
    return f"t{text[1:]}" if text.startswith("The ") else text


def _losses_text(lost_units: Sequence[UnitId], reader: Side | None) -> str:
    """Return the step losses of both sides, the reader's first."""
    parts = []
    for side in sorted(Side, key=lambda side: side is not reader):
        own_units = [unit for unit in lost_units if counters()[unit].side is side]
        if own_units:
            parts.append(
                f"{_side_in_sentence(side, 'loses', 'lose')} {count_noun(len(own_units), 'step')} "
                f"({_unit_names(dict.fromkeys(own_units))})"
            )
    return f"; {'; '.join(parts)}" if parts else ""


def _capture_news(
    events: Iterable[Any], view_before: EotsView, view_after: EotsView
) -> Iterator[News]:
    """Yield a news item for each side that has gained hexes."""
    changed_hexes = {
        hex_id
        for event in events
        if isinstance(event, units.ControlChanged)
        for hex_id in event.hexes
    }
    old_hexes, new_hexes = set(view_before.japan_controls), set(view_after.japan_controls)
    for side, hexes_gained in (
        (Side.JAPAN, new_hexes - old_hexes),
        (Side.ALLIED, old_hexes - new_hexes),
    ):
        hexes = sorted(hex_id for hex_id in hexes_gained & changed_hexes)
        ordered_hexes = sorted(hexes, key=lambda hex_id: (" " not in place_name(hex_id), hex_id))
        if ordered_hexes:
            verb = pluralise(SIDES[side], "takes", "take")
            yield News(
                f"{verb} {_abbreviated_names([place_name(hex_id) for hex_id in ordered_hexes])}",
                ordered_hexes[0],
            )


def _other_loss_news(
    seen_events: Sequence[SeenEvent], *, is_in_battle: bool = False
) -> Iterator[News]:
    """Yield the losses outside battles, one line per side and cause."""
    lost_units: dict[tuple[Side, str], list[UnitId]] = {}
    in_battle = is_in_battle
    for seen_event in seen_events:
        match seen_event.event:
            case battle.BattleBegan():
                in_battle = True
            case offensive.BattleResolved():
                in_battle = False
            case units.StepLost(unit=unit, rule=rule) | units.UnitEliminated(unit=unit, rule=rule):
                if not in_battle:
                    lost_units.setdefault((counters()[unit].side, str(rule)), []).append(unit)
            case _:
                pass
    for (side, cause), own_units in lost_units.items():
        yield News(_steps_lost(side, cause, own_units))


def _steps_lost(side: Side, rule: str, own_units: Sequence[UnitId]) -> str:
    reason = f" {_LOSS_REASONS[rule]}" if rule in _LOSS_REASONS else ""
    steps = count_noun(len(own_units), "step")
    verb = pluralise(SIDES[side], "loses", "lose")
    return f"{verb} {steps}{reason} ({rule}): {_unit_names(dict.fromkeys(own_units))}"


def _card_news(seen_events: Sequence[SeenEvent]) -> Iterator[News]:
    """Yield the cards played by other players.

    One or two cards are reported individually, with their battles. More cards are listed by side.
    """
    cards_played: list[tuple[Any, list[str]]] = []
    is_other_player = False
    for seen_event in seen_events:
        match seen_event.event:
            case cards.CardPlayed() | cards.PassUsed():
                is_other_player = not seen_event.is_own
                if is_other_player:
                    cards_played.append((seen_event.event, []))
            case offensive.BattleDeclared(at=hex_id) if is_other_player and cards_played:
                cards_played[-1][1].append(hex_id)
    if len(cards_played) > _MAX_SINGLE_CARDS:
        sides = dict.fromkeys(event.side for event, _ in cards_played)
        for side in sides:
            yield from _card_list(side, [play for play in cards_played if play[0].side is side])
        return
    for event, battles in cards_played:
        battles_text = (
            f": against {_abbreviated_names([place_name(at) for at in battles])}" if battles else ""
        )
        yield News(f"{describe(event)}{battles_text}", battles[0] if battles else "")


def _force_news(seen_events: Sequence[SeenEvent], attacker: Side | None) -> Iterator[News]:
    """Yield the units that other players sent in the last offensive or reaction, with their destinations (7.21, 7.26).

    Args:
        seen_events: Events to report.
        attacker: The side whose offensive was already in progress; None if no offensive was in progress.
    """
    sent_units, destinations = list[UnitId](), dict[UnitId, str]()
    for seen_event in seen_events:
        match seen_event.event:
            case offensive.OffensiveBegan(side=began):
                attacker, sent_units = began, []
            case offensive.HqChosen():
                if not seen_event.is_own:
                    sent_units, destinations = [], {}
            case offensive.UnitActivated(unit=activated_unit):
                if not seen_event.is_own:
                    sent_units.append(activated_unit)
            case offensive.UnitMoved(unit=mover, entered=(*_, last_hex)):
                if mover in sent_units:
                    destinations.setdefault(mover, last_hex)
            case offensive.UnitJoined(unit=joined_unit, at=battle_hex):
                if joined_unit in sent_units:
                    destinations[joined_unit] = battle_hex
            case _:
                pass
    if sent_units:
        side = counters()[sent_units[-1]].side
        verbs = ("sends", "send") if side is attacker else ("reacts with", "react with")
        first_hex, *other_hexes = dict.fromkeys(destinations.values()) or [""]
        destination_text = (
            f" to {place_name(first_hex)}"
            if first_hex and side is attacker and not other_hexes
            else ""
        )
        count_text = count_noun(len(sent_units), "unit")
        yield News(
            f"{pluralise(SIDES[side], *verbs)} {count_text}{destination_text}: {_unit_names(sent_units)}",
            first_hex,
        )


def _card_list(side: Side, plays: Sequence[tuple[Any, list[str]]]) -> Iterator[News]:
    titles = [card_name(event.card) for event, _ in plays if isinstance(event, cards.CardPlayed)]
    battles = [hex_id for _, hexes in plays for hex_id in hexes]
    if titles:
        count_text = count_noun(len(titles), "card")
        text = (
            f"{pluralise(SIDES[side], 'plays', 'play')} {count_text}: {_abbreviated_names(titles)}"
        )
        yield News(text, battles[-1] if battles else "")


def _unit_names(names: Iterable[UnitId]) -> str:
    return _abbreviated_names([short_name(unit) for unit in names])


def _abbreviated_names(names: Sequence[str]) -> str:
    if len(names) <= _MAX_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_MAX_NAMES])} and {len(names) - _MAX_NAMES} more"


# -- the end of a turn


def turn_report(seen_events: Sequence[SeenEvent], view_before: EotsView) -> tuple[str, ...]:
    """Return a title and one line per cause for the events between two turns' offensives; empty without such events."""
    phase = _phase(view_before)
    first_segment: Phase | None = None
    segment_events: list[SeenEvent] = []
    political_will = view_before.tracks.political_will
    for seen_event in seen_events:
        event = seen_event.event
        if isinstance(event, flow.FrameReplaced) and isinstance(event.frame, TurnFrame):
            phase = event.frame.phase
        if phase in _SEGMENTS_BETWEEN:
            first_segment = first_segment or phase
            segment_events.append(seen_event)
        elif isinstance(event, tracks.PoliticalWillMoved):
            political_will = event.to
    lines = tuple(
        _end_lines(
            segment_events,
            political_will,
            _missed_hexes_text(unwrapped_events(seen_events), view_before),
        )
    )
    if not lines or first_segment is None:
        return ()
    is_end = first_segment in _TURN_END_SEGMENTS
    turn = view_before.turn
    return (f"{'End of turn' if is_end else 'Turn'} {turn}, {turn_name(turn)}", *lines)


def _phase(view: EotsView) -> Phase | None:
    frame = view.frames[0] if view.frames else None
    return frame.phase if isinstance(frame, TurnFrame) else None


def _end_lines(
    seen_events: Sequence[SeenEvent], political_will: int, missed_text: str
) -> Iterator[str]:
    events = unwrapped_events(seen_events)
    yield from _will_lines(events, political_will, missed_text)
    yield from dict.fromkeys(
        describe(event) for event in events if isinstance(event, _TURN_END_EVENTS)
    )
    for news in _other_loss_news(seen_events):
        yield news.text
    yield from _delayed_reinforcements(events)
    yield from _placed_units(seen_events)
    yield from (
        describe(event)
        for event in events
        if isinstance(event, cards.CardsDealt) and describe(event)
    )


def _delayed_reinforcements(events: Iterable[Any]) -> Iterator[str]:
    """Yield the delayed reinforcements, grouped by length of delay and rule (10.21, 10.24)."""
    last_events: dict[UnitId, Any] = {
        event.unit: event
        for event in events
        if isinstance(event, units.UnitBoxed | units.UnitScheduled)
        and event.rule.startswith(_DELAY_RULE_PREFIX)
    }
    groups: dict[tuple[Side, str], list[UnitId]] = {}
    for unit, event in last_events.items():
        delay_text = (
            f"to turn {event.turn}" if isinstance(event, units.UnitScheduled) else "by a turn"
        )
        groups.setdefault((counters()[unit].side, f"{delay_text} ({event.rule})"), []).append(unit)
    for (_, delay_text), delayed_units in groups.items():
        is_one = len(delayed_units) == 1
        noun = "reinforcement is" if is_one else "reinforcements are"
        yield f"{len(delayed_units)} {noun} delayed {delay_text}: {_unit_names(delayed_units)}"


def _placed_units(seen_events: Iterable[SeenEvent]) -> Iterator[str]:
    """Yield lines that list the units that other players have placed or restored."""
    units_by_side: dict[tuple[Side, str], list[UnitId]] = {}
    for seen_event in seen_events:
        if not seen_event.is_own and isinstance(
            seen_event.event, units.UnitPlaced | units.StepGained
        ):
            key = (counters()[seen_event.event.unit].side, type(seen_event.event).__name__)
            units_by_side.setdefault(key, []).append(seen_event.event.unit)
    for (side, kind), own_units in units_by_side.items():
        is_placed = kind == units.UnitPlaced.__name__
        verb = "places|place" if is_placed else "restores|restore"
        singular, plural = verb.split("|")
        count_text = count_noun(len(own_units), "unit")
        yield f"{pluralise(SIDES[side], singular, plural)} {count_text}: {_unit_names(dict.fromkeys(own_units))}"
