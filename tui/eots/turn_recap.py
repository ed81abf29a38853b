"""The news since the player's last move, and the end-of-turn report, with one line per cause."""

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
from tui.eots.texts import card_name, place_name, short_name, turn_name
from tui.playback.step import News, plain_events

_NAMED: Final = 4
"""Maximum number of names in a line. The rest are only counted."""
_END: Final = (
    Phase.NATIONAL_STATUS,
    Phase.POLITICAL_WILL,
    Phase.ATTRITION,
    Phase.END_OF_TURN,
    Phase.REINFORCEMENT,
    Phase.REPLACEMENT,
    Phase.STRATEGIC_WARFARE,
    Phase.DEAL,
)
"""The segments between two turns' offensives."""
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
"""Events that concern tracks and markers. They are reported in the log's own words."""
_AT_END: Final = (
    *_REPORTED_EVENTS,
    tracks.SubmarineWarfareResolved,
    tracks.BombingResolved,
    tracks.DivisionsLeftChina,
    units.ControlChanged,
    cards.DeckReshuffled,
)
_REASONS: Final = {
    "6.24": "by attrition",
    "8.24": "above the stacking limit",
    "8.34": "above the stacking limit",
    "8.48": "above the stacking limit",
}
_FEW: Final = 2
"""Maximum number of cards to list individually."""
_LAST: Final = _END[:4]
"""The segments at the end of a turn."""
_PROGRESS: Final = "16.47"
_TOO_LATE: Final = "10.2"
"""Prefix of the rule numbers for delayed reinforcements."""


# -- since the player's last move


def news(seen_events: Sequence[SeenEvent], before: EotsView, after: EotsView) -> tuple[News, ...]:
    """Return news since the player's last move: tracks, battles, captures, losses, cards and forces."""
    events = plain_events(seen_events)
    begun = f"Turn {after.turn}, {turn_name(after.turn)}, has begun"
    return (
        *([News(begun)] if after.turn != before.turn else ()),
        *_will_news(events, before),
        *(News(describe(event)) for event in events if isinstance(event, _REPORTED_EVENTS)),
        *_battles(seen_events, _battle_in_progress(before)),
        *_captures(events, before, after),
        *_losses_outside_battle(seen_events, is_in_battle=bool(_battle_in_progress(before))),
        *_cards(seen_events),
        *_forces(seen_events, None if before.offensive is None else before.offensive.side),
    )


def _battle_in_progress(view: EotsView) -> str:
    """Return the hex of the battle being fought; empty if there is none (9.0)."""
    hexes = (frame.hex for frame in view.frames if isinstance(frame, BattleFrame) and frame.begun)
    return next(hexes, "")


def _will_news(events: Sequence[Any], before: EotsView) -> Iterator[News]:
    for line in _will_lines(
        events, before.tracks.political_will, _missed_hexes_text(events, before)
    ):
        yield News(line)


def _will_lines(events: Iterable[Any], will: int, missed: str) -> Iterator[str]:
    """Yield every change in Political Will, with its cause (16.4).

    Args:
        events: The events.
        will: Political Will before the events.
        missed: Reason why the progress of the war was missed; empty for the general wording.
    """
    nations = NationWillMerger()
    for event in events:
        cause = nations.cause(event)
        if isinstance(event, tracks.PoliticalWillMoved):
            card = deck().get(CardId(event.rule))
            why = WILL.get(event.rule, "") if card is None else card.title
            why = missed if missed and event.rule == _PROGRESS else cause or why
            yield f"Political Will {will} -> {event.to}: {why} ({event.rule})"
            will = event.to


def _missed_hexes_text(events: Iterable[Any], before: EotsView) -> str:
    """Return the number of hexes that the Allies had when they missed the progress of the war (16.47).

    The text is empty if they did not miss it, or if the view is from an earlier turn and cannot show it.
    """
    japan = {*before.japan_controls}
    for event in events:
        match event:
            case tracks.PoliticalWillMoved(rule=rule) if rule == _PROGRESS:
                then = replace(before, japan_controls=tuple(sorted(japan)))
                found = progress_of_war(state_from_view(then))
                if found is None:
                    return ""
                needed = pluralise(found.quota, "hex", "hexes")
                return f"{len(found.taken)} of {needed} taken, {WILL[_PROGRESS]}"
            case units.ControlChanged(hexes=hexes, side=Side.JAPAN):
                japan.update(hexes)
            case units.ControlChanged(hexes=hexes):
                japan.difference_update(hexes)
            case flow.TurnBegan() | tracks.AspQuotaFixed():
                return ""
            case _:
                pass
    return ""


def _battles(seen_events: Sequence[SeenEvent], under_way: str) -> Iterator[News]:
    """Yield one line per battle with its winners and both sides' losses.

    Args:
        seen_events: The events.
        under_way: Hex of a battle that was already in progress; empty if there was none.
    """
    at, winners, lost = under_way, list[tuple[Side, str]](), list[UnitId]()
    for fact in seen_events:
        match fact.event:
            case battle.BattleBegan(at=began):
                at, winners, lost = began, [], []
            case battle.AirNavalDecided(winner=winner) if at:
                winners.append((winner, "in the air and at sea"))
            case battle.GroundDecided(winner=winner) if at:
                winners.append((winner, "on the ground"))
            case units.StepLost(unit=unit) | units.UnitEliminated(unit=unit) if at:
                lost.append(unit)
            case offensive.BattleResolved() if at:
                told = _winners_text(winners) or "no winner"
                yield News(f"Battle of {place_name(at)}: {told}{_losses_text(lost)}", at)
                at = ""
    if at and (winners or lost):
        told = _winners_text(winners) or "not over yet"
        yield News(f"Battle of {place_name(at)}: {told}{_losses_text(lost)}", at)


def _winners_text(winners: Sequence[tuple[Side, str]]) -> str:
    """Return the winner of each part of a battle. A side that won every part is named only once."""
    sides = [side for side, _ in winners]
    if len(sides) > 1 and len(set(sides)) == 1:
        return f"{_side_in_sentence(sides[0], 'wins', 'win')} in the air, at sea and on the ground"
    return ", ".join(f"{_side_in_sentence(side, 'wins', 'win')} {where}" for side, where in winners)


def _side_in_sentence(side: Side, one: str, other: str) -> str:
    """Return a side with its verb, for use within a sentence."""
    words = pluralise(SIDES[side], one, other)
    return f"t{words[1:]}" if words.startswith("The ") else words


def _losses_text(lost: Sequence[UnitId]) -> str:
    """Return the step losses of both sides."""
    parts = []
    for side in Side:
        own = [unit for unit in lost if counters()[unit].side is side]
        if own:
            parts.append(
                f"{_side_in_sentence(side, 'loses', 'lose')} {count_noun(len(own), 'step')} "
                f"({_names(dict.fromkeys(own))})"
            )
    return f"; {'; '.join(parts)}" if parts else ""


def _captures(events: Iterable[Any], before: EotsView, after: EotsView) -> Iterator[News]:
    """Yield the hexes that each side has gained."""
    touched = {
        at for event in events if isinstance(event, units.ControlChanged) for at in event.hexes
    }
    old, new = set(before.japan_controls), set(after.japan_controls)
    for side, gained in ((Side.JAPAN, new - old), (Side.ALLIED, old - new)):
        hexes = sorted(at for at in gained & touched)
        named = sorted(hexes, key=lambda at: (" " not in place_name(at), at))
        if named:
            verb = pluralise(SIDES[side], "takes", "take")
            yield News(f"{verb} {_short_list([place_name(at) for at in named])}", named[0])


def _losses_outside_battle(
    seen_events: Sequence[SeenEvent], *, is_in_battle: bool = False
) -> Iterator[News]:
    """Yield the losses outside battles, by cause."""
    lost: dict[tuple[Side, str], list[UnitId]] = {}
    in_battle = is_in_battle
    for fact in seen_events:
        match fact.event:
            case battle.BattleBegan():
                in_battle = True
            case offensive.BattleResolved():
                in_battle = False
            case units.StepLost(unit=unit, rule=rule) | units.UnitEliminated(unit=unit, rule=rule):
                if not in_battle:
                    lost.setdefault((counters()[unit].side, str(rule)), []).append(unit)
            case _:
                pass
    for (side, cause), own in lost.items():
        yield News(_steps_lost(side, cause, own))


def _steps_lost(side: Side, rule: str, own: Sequence[UnitId]) -> str:
    reason = f" {_REASONS[rule]}" if rule in _REASONS else ""
    steps = count_noun(len(own), "step")
    verb = pluralise(SIDES[side], "loses", "lose")
    return f"{verb} {steps}{reason} ({rule}): {_names(dict.fromkeys(own))}"


def _cards(seen_events: Sequence[SeenEvent]) -> Iterator[News]:
    """Yield the cards that other players played: one or two individually, with their battles; more as a list."""
    played: list[tuple[Any, list[str]]] = []
    is_others = False
    for fact in seen_events:
        match fact.event:
            case cards.CardPlayed() | cards.PassUsed():
                is_others = not fact.is_own
                if is_others:
                    played.append((fact.event, []))
            case offensive.BattleDeclared(at=at) if is_others and played:
                played[-1][1].append(at)
    if len(played) > _FEW:
        sides = dict.fromkeys(event.side for event, _ in played)
        for side in sides:
            yield from _card_list(side, [one for one in played if one[0].side is side])
        return
    for event, battles in played:
        against = f": against {_short_list([place_name(at) for at in battles])}" if battles else ""
        yield News(f"{describe(event)}{against}", battles[0] if battles else "")


def _forces(seen_events: Sequence[SeenEvent], attacker: Side | None) -> Iterator[News]:
    """Yield the units that other players sent in the last offensive or reaction, and their destinations (7.21, 7.26).

    Args:
        seen_events: The events.
        attacker: The side whose offensive was already in progress; None if there was none.
    """
    moved, ends = list[UnitId](), dict[UnitId, str]()
    for fact in seen_events:
        match fact.event:
            case offensive.OffensiveBegan(side=began):
                attacker, moved = began, []
            case offensive.HqChosen():
                if not fact.is_own:
                    moved, ends = [], {}
            case offensive.UnitActivated(unit=activated):
                if not fact.is_own:
                    moved.append(activated)
            case offensive.UnitMoved(unit=mover, entered=(*_, last)):
                if mover in moved:
                    ends.setdefault(mover, last)
            case offensive.UnitJoined(unit=joined, at=battle_hex):
                if joined in moved:
                    ends[joined] = battle_hex
            case _:
                pass
    if moved:
        side = counters()[moved[-1]].side
        verbs = ("sends", "send") if side is attacker else ("reacts with", "react with")
        at, *others = dict.fromkeys(ends.values()) or [""]
        against = f" to {place_name(at)}" if at and side is attacker and not others else ""
        number = count_noun(len(moved), "unit")
        yield News(f"{pluralise(SIDES[side], *verbs)} {number}{against}: {_names(moved)}", at)


def _card_list(side: Side, plays: Sequence[tuple[Any, list[str]]]) -> Iterator[News]:
    titles = [card_name(event.card) for event, _ in plays if isinstance(event, cards.CardPlayed)]
    battles = [at for _, ats in plays for at in ats]
    if titles:
        number = count_noun(len(titles), "card")
        words = f"{pluralise(SIDES[side], 'plays', 'play')} {number}: {_short_list(titles)}"
        yield News(words, battles[-1] if battles else "")


def _names(names: Iterable[UnitId]) -> str:
    return _short_list([short_name(unit) for unit in names])


def _short_list(names: Sequence[str]) -> str:
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


# -- the end of a turn


def turn_report(seen_events: Sequence[SeenEvent], before: EotsView) -> tuple[str, ...]:
    """Return a report on the events between two turns' offensives: a title, followed by one line per cause."""
    phase = _phase(before)
    first: Phase | None = None
    between: list[SeenEvent] = []
    will = before.tracks.political_will
    for fact in seen_events:
        event = fact.event
        if isinstance(event, flow.FrameReplaced) and isinstance(event.frame, TurnFrame):
            phase = event.frame.phase
        if phase in _END:
            first = first or phase
            between.append(fact)
        elif isinstance(event, tracks.PoliticalWillMoved):
            will = event.to
    lines = tuple(_end_lines(between, will, _missed_hexes_text(plain_events(seen_events), before)))
    if not lines or first is None:
        return ()
    is_end = first in _LAST
    turn = before.turn
    return (f"{'End of turn' if is_end else 'Turn'} {turn}, {turn_name(turn)}", *lines)


def _phase(view: EotsView) -> Phase | None:
    frame = view.frames[0] if view.frames else None
    return frame.phase if isinstance(frame, TurnFrame) else None


def _end_lines(seen_events: Sequence[SeenEvent], will: int, missed: str) -> Iterator[str]:
    events = plain_events(seen_events)
    yield from _will_lines(events, will, missed)
    yield from dict.fromkeys(describe(event) for event in events if isinstance(event, _AT_END))
    for news in _losses_outside_battle(seen_events):
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
    last: dict[UnitId, Any] = {
        event.unit: event
        for event in events
        if isinstance(event, units.UnitBoxed | units.UnitScheduled)
        and event.rule.startswith(_TOO_LATE)
    }
    groups: dict[tuple[Side, str], list[UnitId]] = {}
    for unit, event in last.items():
        until = f"to turn {event.turn}" if isinstance(event, units.UnitScheduled) else "by a turn"
        groups.setdefault((counters()[unit].side, f"{until} ({event.rule})"), []).append(unit)
    for (_, until), delayed in groups.items():
        is_one = len(delayed) == 1
        noun = "reinforcement is" if is_one else "reinforcements are"
        yield f"{len(delayed)} {noun} delayed {until}: {_names(delayed)}"


def _placed_units(seen_events: Iterable[SeenEvent]) -> Iterator[str]:
    """Yield the units that other players have placed or restored."""
    came: dict[tuple[Side, str], list[UnitId]] = {}
    for fact in seen_events:
        if not fact.is_own and isinstance(fact.event, units.UnitPlaced | units.StepGained):
            key = (counters()[fact.event.unit].side, type(fact.event).__name__)
            came.setdefault(key, []).append(fact.event.unit)
    for (side, kind), own in came.items():
        is_placed = kind == units.UnitPlaced.__name__
        verb = "places|place" if is_placed else "restores|restore"
        one, other = verb.split("|")
        number = count_noun(len(own), "unit")
        yield f"{pluralise(SIDES[side], one, other)} {number}: {_names(dict.fromkeys(own))}"
