"""The title of the hand: number of cards held and set aside, and which of them are visible."""

import pytest
from textual.app import App, ComposeResult
from typing_extensions import override

from tui.panels.status_segments import CardFace
from tui.widgets.bars.cards import HandView


def held(cards: int) -> tuple[CardFace, ...]:
    return tuple(CardFace(id=str(one), title="Card", kind="event") for one in range(cards))


ASIDE = CardFace(id="aside", title="Card", kind="future offensive", is_aside=True)


@pytest.mark.parametrize(
    ("faces", "width", "title"),
    [
        (held(7), 150, "Hand (7)"),
        ((*held(7), ASIDE), 160, "Hand (7, 1 set aside)"),
        ((ASIDE,), 80, "Hand (0, 1 set aside)"),
    ],
)
async def test_card_set_aside_is_not_counted_in_the_hand(
    faces: tuple[CardFace, ...], width: int, title: str
) -> None:
    class Table(App[None]):
        @override
        def compose(self) -> ComposeResult:
            yield HandView("Hand")

    async with Table().run_test(size=(width, 12)) as pilot:
        hand = pilot.app.query_one(HandView)
        hand.show(faces)
        await pilot.pause()
        assert str(hand.border_title) == title
