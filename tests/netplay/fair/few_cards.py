"""Empire of the Sun with few cards: the first command can take a card from the other hand, or shuffle discards."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.deck import card_ids
from engine.eots.ids import CardId, Side
from engine.eots.position import Position
from engine.eots.ruleset import EmpireOfTheSun
from engine.kernel.ids import Role

ALLIED: Final = Role("allied")
JAPAN: Final = Role("japan")
SCENARIO: Final = "1944"
ASKING: Final = "event A-60"
"""The command that takes a random card from the Japanese hand."""
DRAWING: Final = "event A-80"
"""The command that draws an Allied card. After the deal, the discards must first be shuffled."""
_DRAW: Final = {
    Side.ALLIED: ("A-60", "A-80", "A-5", "A-9", "A-13", "A-15", "A-19"),
    Side.JAPAN: ("J-3", "J-8", "J-9", "J-10", "J-11", "J-12", "J-14", "J-16"),
}
_DISCARD: Final = {Side.ALLIED: ("A-21", "A-28", "A-29"), Side.JAPAN: ()}


class FewCards(EmpireOfTheSun):
    """A position in which the Allies are dealt their whole draw pile, and a B29 in China allows A-60 to take a card."""

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        position = super().position(scenario, options)
        units = tuple(
            replace(unit, at="china-box", turn=None) if unit.unit == "us-b29-20bc" else unit
            for unit in position.units
        )
        decks = {
            side: replace(
                deck,
                draw=tuple(map(CardId, _DRAW[side])),
                discard=tuple(map(CardId, _DISCARD[side])),
                future=None,
                removed=tuple(
                    card for card in card_ids(side) if card not in {*_DRAW[side], *_DISCARD[side]}
                ),
            )
            for side, deck in position.decks.items()
        }
        return replace(position, units=units, decks=decks)


FEW_CARDS: Final = FewCards()
