"""What always holds in a full state; used by fuzzing (1, 4, 9)."""

from collections import Counter
from collections.abc import Iterator

from engine.qmg.atlas import LAND, SEA, mask
from engine.qmg.board import Board
from engine.qmg.deck import CARD, POOLS, deck_list
from engine.qmg.frames import PlayFrame, RepositionFrame, UseFrame
from engine.qmg.ids import AIR, ALLIES, ARMY, AXIS, COUNTRIES, FORCES, KINDS, MEMBERS, NAVY, STATUS
from engine.qmg.state import State


def violations(state: State) -> Iterator[str]:
    """Yield every broken invariant."""
    yield from _pools(state.board)
    yield from _places(state)
    yield from _piles(state)
    if state.outcome is None and state.frames and state.round > 20:  # noqa: PLR2004 - 12.5
        yield "12.5: a round after the last one"


def _pools(board: Board) -> Iterator[str]:
    for force in FORCES:
        for kind in KINDS:
            count = board.of(force, kind).bit_count()
            if count > POOLS[force][kind]:
                yield f"1: {force} has {count} pieces of kind {kind}"


def _places(state: State) -> Iterator[str]:
    board = state.board
    for force in FORCES:
        if board.of(force, ARMY) & SEA:
            yield f"0: an Army of {force} is at sea"
        if board.of(force, NAVY) & LAND:
            yield f"0: a Navy of {force} is on land"
        moving = mask(
            frame.space
            for frame in state.frames
            if isinstance(frame, RepositionFrame) and frame.force == force
        )
        if board.of(force, AIR) & ~(board.of(force, ARMY) | board.of(force, NAVY) | moving):
            yield f"13.4: an Air Force of {force} is alone"
    for kind in (ARMY, NAVY):
        sides = []
        for team in (AXIS, ALLIES):
            held = 0
            for force in MEMBERS[team]:
                held |= board.of(force, kind)
            sides.append(held)
        if sides[0] & sides[1]:
            yield f"4.1: enemies share a space ({kind})"


def _piles(state: State) -> Iterator[str]:
    if not state.active:
        return
    for number, country in enumerate(COUNTRIES):
        cards = state.cards[number]
        found = Counter(
            cards.hand
            + cards.top
            + cards.pool
            + cards.bottom
            + cards.discard
            + cards.responses
            + state.statuses[number]
        )
        for frame in state.frames:
            if isinstance(frame, PlayFrame) and frame.country == country:
                found[frame.card] = 1
            elif isinstance(frame, UseFrame) and frame.country == country:
                in_play = frame.stage == "declared" and CARD[frame.card].type != STATUS
                found[frame.card] += in_play
        wanted = Counter(deck_list(country, total_war=state.total_war))
        if not state.limits and found != wanted:
            odd = sorted((found - wanted) + (wanted - found))
            yield f"9.1: cards of {country} are not all there once: {', '.join(odd[:5])}"
        if set(cards.open) - set(cards.discard):
            yield f"9.3: {country} is known to have discarded what is not in its pile"
