"""What the end of a playout of Quartermaster General is worth: points so far, points to come, and cards.

The weights are those by which positions of many games between greedy players tell best how the games end.
"""

from collections.abc import Mapping
from typing import Final

from engine.bots.greedy_qmg_cards import PER_TURN, STRONG, TIME_TO_USE
from engine.bots.greedy_qmg_text import CARDS_PER_TURN
from engine.bots.greedy_qmg_worth import Judge, horizon, turns_left
from engine.qmg.deck import CARD
from engine.qmg.ids import AXIS, COUNTRIES, FORCES, STATUS, TEAM_OF
from engine.qmg.view import QmgView

TO_COME: Final = 0.75
"""What points to come are worth, as the greedy player counts them."""
ARMIES: Final = -0.15
NAVIES: Final = 0.2
"""By how much more, per turn, a supplied piece is worth than the greedy player thinks: pieces are there to score."""
NEEDED: Final = 1.3
SPARE: Final = 0.4
"""What a card left is worth while there are too few to the end, and one beyond these."""
HELD: Final = 0.7
"""What a card in hand is worth beyond one in the deck, while there is time to play it."""
TIME_TO_PLAY: Final = 3
LAID: Final = 0.8
"""What a Response on the table is worth while there is time to use it."""
STATUSES: Final = 1.3
"""What Statuses are worth, as the greedy player counts them."""


def axis_lead(view: QmgView) -> float:
    """Return the points so far and to come by which the Axis is ahead, as far as everybody sees them."""
    judge = Judge(view)
    now = judge.field(judge.board)
    to_come = judge.worth(judge.board)
    for force in FORCES:
        army, navy = now.supplied(force)
        pieces = ARMIES * army.bit_count() + NAVIES * navy.bit_count()
        to_come += _for_axis(force) * pieces * judge.horizon[force]
    cards = sum(_for_axis(country) * _cards(view, country) for country in COUNTRIES)
    return view.axis_vp - view.allies_vp + TO_COME * to_come + cards


def _for_axis(force: str) -> int:
    return 1 if TEAM_OF[force] == AXIS else -1


def _cards(view: QmgView, country: str) -> float:
    """Return what the cards of a country are worth to its team."""
    public, turns = view.countries[country], turns_left(view, country)
    span = horizon(max(turns - 1, 0))
    value = LAID * min(1.0, max(turns - 1, 0) / TIME_TO_USE) * public.responses
    value += STATUSES * span * sum(_PER_TURN[CARD[status].id] for status in public.statuses)
    cards = public.deck + public.hand
    needed = min(float(cards), turns * CARDS_PER_TURN[view.total_war])
    value += NEEDED * needed + SPARE * (cards - needed)
    return value + HELD * min(1.0, turns / TIME_TO_PLAY) * public.hand


_PER_TURN: Final[Mapping[str, float]] = {
    card.id: STRONG.get(card.id, 0.0)
    + sum(PER_TURN[one.kind] for one in card.abilities if one.kind != "victory_bonus")
    for card in CARD.values()
    if card.type == STATUS
}
"""What a Status is worth per turn by what it allows."""
