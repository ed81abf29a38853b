"""What must hold in every position of a full, unredacted game; fuzzing checks it after every command."""

from collections import Counter as Multiset
from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.control import units_at
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import CardPlayFrame, TurnFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, Side
from engine.eots.rulings import NAVAL_STACKING
from engine.eots.state import DELAY_BOX, OFF_MAP, TURN_TRACK, State

CHINA_BOX_CAPACITY: Final = 2
"""Air units in the China box (13.74)."""
STACK: Final = 3
"""Air and ground units in a hex between card plays (8.34)."""
NAVAL_STACK: Final = 6
"""Naval units in a hex between card plays (8.24, OP-10)."""
EVENT_DRAWS: Final = 3


def violations(state: State) -> Iterator[str]:
    """Yield a sentence for every broken invariant."""
    yield from _counters(state)
    yield from _cards(state)
    yield from _tracks(state)
    if (
        state.frames
        and isinstance(state.frames[-1], (CardPlayFrame, TurnFrame))
        and state.offensive is None
    ):
        yield from _between_plays(state)


def _counters(state: State) -> Iterator[str]:
    if set(state.units) != set(counters()):
        yield "counters are lost or doubled"
    for unit, piece in state.units.items():
        counter = counters()[unit]
        off = piece.at in OFF_MAP
        most = 1 if counter.is_hq else counter.max_steps
        if not off and not 1 <= piece.steps <= most:
            yield f"{unit} in {piece.at} has {piece.steps} steps"
        if off and piece.at != DELAY_BOX and piece.steps != 0:
            yield f"{unit} is {piece.at} with {piece.steps} steps"
        if (piece.at == TURN_TRACK) != (unit in state.arrivals):
            yield f"{unit} and its entry on the turn track disagree"
        if not off and piece.at != CHINA_BOX and piece.at not in board().hexes:
            yield f"{unit} is in {piece.at}, which is not on the map"
        if piece.at == CHINA_BOX and not counter.is_air:
            yield f"{unit} is in the China box (13.74)"
    if len(units_at(state).get(CHINA_BOX, ())) > CHINA_BOX_CAPACITY and state.offensive is None:
        yield "more than two air units in the China box (13.74)"


def _cards(state: State) -> Iterator[str]:
    limbo: Multiset[CardId] = Multiset()
    if state.offensive is not None:
        limbo[state.offensive.card] += 1
        limbo.update(state.offensive.reaction.events)
    for side in Side:
        deck = state.decks[side]
        held: Multiset[CardId] = Multiset([*deck.hand, *deck.draw, *deck.discard, *deck.removed])
        if deck.future is not None:
            held[deck.future] += 1
        held.update({card: count for card, count in limbo.items() if cards()[card].side is side})
        wanted = Multiset(card.id for card in cards().values() if card.side is side)
        if held != wanted:
            yield f"cards of {side} are lost or doubled: {sorted((held - wanted) | (wanted - held))}"
        if deck.passes < 0 or not 0 <= deck.event_draws <= EVENT_DRAWS:
            yield f"passes or event draws of {side} out of bounds"


def _tracks(state: State) -> Iterator[str]:
    tracks = state.tracks
    bounds = (
        ("political will", tracks.political_will, 0, 10),
        ("war in europe", tracks.war_in_europe, -7, 3),
        ("divisions in China", tracks.divisions_in_china, 0, 12),
        ("escorts", tracks.escorts, 0, 4),
        ("Japanese shipping points", tracks.japan_asp, 1, 7),
        ("Japanese naval points", tracks.japan_naval_points, 0, 99),
        ("Japanese air points", tracks.japan_air_points, 0, 99),
        ("Japanese ground steps", state.pools.japan_ground, 0, 2),
        ("Allied shipping points used", tracks.allied_asp_used, 0, tracks.allied_asp + 4),
        ("Japanese shipping points used", tracks.japan_asp_used, 0, 11),
    )
    for name, value, low, high in bounds:
        if not low <= value <= high:
            yield f"{name} is {value}, outside {low} to {high}"
    if len(set(tracks.surrendered)) != len(tracks.surrendered):
        yield "a nation surrendered twice (13.1)"


def _between_plays(state: State) -> Iterator[str]:
    for at, units in units_at(state).items():
        if at not in board().hexes:
            continue
        rows = [counters()[unit] for unit in units]
        if len({row.side for row in rows}) > 1:
            yield f"units of both sides stay in {at}"
        groups = [row.air_stack_group or row.id for row in rows if row.is_air]
        land = len(set(groups)) + sum(row.is_ground for row in rows)
        if land > STACK:
            yield f"{land} air and ground units in {at} (8.34)"
        if sum(row.is_naval for row in rows) > NAVAL_STACK and not NAVAL_STACKING.is_other(
            state.options
        ):
            yield f"too many naval units in {at} (8.24)"
        if sum(row.is_hq for row in rows) > 1:
            yield f"two HQs in {at} (6.11)"
        holder = state.control.get(HexId(at))
        for row in rows:
            if row.is_ground and holder is not row.side:
                yield f"{row.id} stands in {at} without control (6.5)"
