"""Searches for spaces and cards by name."""

from engine.qmg.atlas import SPACES
from engine.qmg.deck import CARDS, INSTANCES
from tui.presenter import Found
from tui.qmg.panels import card_lines
from tui.qmg.texts import FORCE_TITLES, card_text


def find(query: str) -> tuple[Found, ...]:
    """Return the spaces and cards whose names contain every query word. Titles that start with the query come first."""
    wanted = query.lower().split()
    if not wanted:
        return ()
    hits = [*_spaces(wanted), *_cards(wanted)]
    exact = query.strip().lower()
    hits.sort(key=lambda hit: not hit.title.lower().startswith(exact))
    return tuple(hits)


def find_space(query: str) -> str:
    """Return the space with this id, name or abbreviation, regardless of case; empty if there is none."""
    plain = " ".join(query.lower().replace("_", " ").split())
    for space in SPACES:
        names = (space.id.replace("_", " "), space.name, space.abbr, *space.also_called)
        if plain in (name.lower() for name in names):
            return space.id
    return ""


def _spaces(wanted: list[str]) -> list[Found]:
    return [
        Found(f"{space.name} ({space.abbr})", space.id)
        for space in SPACES
        if _matches(wanted, space.name, space.abbr, *space.also_called)
    ]


def _cards(wanted: list[str]) -> list[Found]:
    found = []
    for card in CARDS.values():
        if _matches(wanted, card.name, card.id):
            instance = INSTANCES[card.id][0]
            title = f"{card_text(instance)}, {FORCE_TITLES[card.deck]}"
            found.append(Found(title, "", "\n".join(card_lines(instance))))
    return found


def _matches(wanted: list[str], *names: str) -> bool:
    text = " ".join(names).lower()
    return all(word in text for word in wanted)
