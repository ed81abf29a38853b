"""Searches for spaces and cards by name."""

from engine.qmg.atlas import SPACES
from engine.qmg.deck import CARDS, INSTANCES
from tui.presenter.presenter import Found
from tui.qmg.panels.page_texts import card_lines
from tui.qmg.texts import FORCE_TITLES, card_text


def find(query: str) -> tuple[Found, ...]:
    """Return the spaces and cards whose names contain every query word. Names that start with the query come first."""
    words = query.lower().split()
    if not words:
        return ()
    matches = [*_matching_spaces(words), *_matching_cards(words)]
    prefix = query.strip().lower()
    matches.sort(key=lambda match: not match.title.lower().startswith(prefix))
    return tuple(matches)


def find_space(query: str) -> str:
    """Return the space with this id, name or abbreviation, regardless of case; empty if no space matches."""
    wanted_name = " ".join(query.lower().replace("_", " ").split())
    for space in SPACES:
        names = (space.id.replace("_", " "), space.name, space.abbr, *space.also_called)
        if wanted_name in (name.lower() for name in names):
            return space.id
    return ""


def _matching_spaces(words: list[str]) -> list[Found]:
    return [
        Found(f"{space.name} ({space.abbr})", space.id)
        for space in SPACES
        if _contains_words(words, space.name, space.abbr, *space.also_called)
    ]


def _matching_cards(words: list[str]) -> list[Found]:
    matches = []
    for card in CARDS.values():
        if _contains_words(words, card.name, card.id):
            instance = INSTANCES[card.id][0]
            title = f"{card_text(instance)}, {FORCE_TITLES[card.deck]}"
            matches.append(Found(title, "", "\n".join(card_lines(instance))))
    return matches


def _contains_words(words: list[str], *names: str) -> bool:
    text = " ".join(names).lower()
    return all(word in text for word in words)
