"""Short phrases for pieces, spaces, cards and events, used in prompts, the log and refusals."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from engine.qmg.atlas import SPACE
from engine.qmg.deck import CARD
from engine.qmg.frames import Trigger
from engine.qmg.ids import HIDDEN

Words: TypeAlias = Mapping[str, Callable[[Any], str]]
"""The function that returns an object's text for each placeholder in a phrase."""

FORCE_NAMES: Final = {
    "germany": "Germany",
    "uk": "the UK",
    "japan": "Japan",
    "ussr": "the USSR",
    "italy": "Italy",
    "usa": "the USA",
    "france": "France",
    "china": "China",
}
ADJECTIVES: Final = {
    "germany": "German",
    "uk": "British",
    "japan": "Japanese",
    "ussr": "Soviet",
    "italy": "Italian",
    "usa": "US",
    "france": "French",
    "china": "Chinese",
}
PIECES: Final = {"army": "Army", "navy": "Navy", "air": "Air Force"}
TEAM_NAMES: Final = {"axis": "the Axis", "allies": "the Allies"}

_LANDS_WITH_ARTICLE: Final = frozenset(
    (
        "balkans",
        "eastern_us",
        "middle_east",
        "pacific_northwest",
        "philippines",
        "united_kingdom",
        "western_us",
    )
)


def force_name(name: str) -> str:
    """Return a force's name for use inside a sentence."""
    return FORCE_NAMES.get(name, name)


def capitalise_first(text: str) -> str:
    """Return a sentence with its first letter capitalised."""
    return text[:1].upper() + text[1:]


def piece_name(owner: str, kind: str) -> str:
    """Return a piece's description, such as ``German Army``."""
    return f"{ADJECTIVES.get(owner, owner)} {PIECES.get(kind, kind)}"


def piece_with_article(owner: str, kind: str) -> str:
    """Return a piece's description with an article, such as ``an Italian Army``."""
    return with_article(piece_name(owner, kind))


def with_article(words: str) -> str:
    """Return the words with an indefinite article. Before U, the article is ``a``, as in ``a US Army``."""
    return f"{'an' if words[0] in 'AEIO' else 'a'} {words}"


def card_type_name(name: str) -> str:
    """Return a card type in title case, such as ``Build Army``."""
    return name.replace("_", " ").title()


def count_cards(count: int, kind: str = "") -> str:
    """Return a number of cards as text, such as ``1 card`` or ``2 Build Army cards``."""
    return " ".join(part for part in (str(count), kind, "card" if count == 1 else "cards") if part)


def space_name(name: str) -> str:
    """Return a space's printed name."""
    return SPACE[name].name if name in SPACE else name


def space_with_article(name: str) -> str:
    """Return a space's name for use inside a sentence. Seas and some lands take an article."""
    title = space_name(name)
    if name in SPACE and (SPACE[name].kind == "sea" or name in _LANDS_WITH_ARTICLE):
        return f"the {title}"
    return title


def card_title(instance: str) -> str:
    """Return a card's title, or "a card" if its face is hidden."""
    return "a card" if instance == HIDDEN else CARD[instance].name


def fill_phrase(text: str, words: Words, value: object) -> str:
    """Fill in the placeholders in a phrase. A placeholder without a function stands for a field of the object."""
    return text.format_map(_LazyTexts(words, value))


class _LazyTexts(dict[str, str]):
    """The text of each placeholder for one object, computed on demand."""

    def __init__(self, words: Words, value: object) -> None:
        self._words = words
        self._subject = value

    def __missing__(self, name: str) -> str:
        say = self._words.get(name)
        return str(getattr(self._subject, name)) if say is None else say(self._subject)


FIELD_TEXTS: Final[Words] = {
    "force": lambda about: force_name(about.force),
    "country": lambda about: force_name(about.country),
    "by": lambda about: force_name(about.by),
    "piece": lambda about: piece_name(about.force, about.piece),
    "a_kind": lambda about: with_article(PIECES[about.piece]),
    "air": lambda about: piece_name(about.force, "air"),
    "space": lambda about: space_with_article(about.space),
    "origin": lambda about: space_with_article(about.origin),
    "card": lambda about: card_title(about.card),
}
"""Functions for the placeholders that are named after fields of events and triggers."""


def describe_event(event: Trigger) -> str:
    """Return an event's description for the prompt of a response window (10.3)."""
    text = _WORDS.get(event.kind)
    return (
        event.kind.replace("_", " ")
        if text is None
        else capitalise_first(fill_phrase(text, _EVENT_TEXTS, event))
    )


_EVENT_TEXTS: Final[Words] = {
    **FIELD_TEXTS,
    "piece": lambda event: piece_name(event.owner, event.piece),
    "targets": lambda event: " and ".join(map(force_name, event.targets)),
}
_WORDS: Final = {
    "turn_begin": "{by}'s turn begins",
    "play_step_begin": "{by}'s Play step begins",
    "air_step_begin": "{by}'s Air step begins",
    "supply_step_begin": "{by}'s Supply step begins",
    "victory_step_begin": "{by}'s Victory step begins",
    "victory_step": "{by} has scored in the Victory step",
    "discard_step_begin": "{by}'s Discard step begins",
    "discard_step": "{by} has discarded in the Discard step",
    "draw_step_begin": "{by}'s Draw step begins",
    "built": "{by} has built {a_kind} in {space}",
    "recruited": "{by} has recruited {a_kind} in {space}",
    "battled": "{by} battles the {piece} in {space}",
    "about_to_be_removed": "the {piece} in {space} is about to be removed",
    "removed": "the {piece} in {space} was removed",
    "battle": "{by} has battled {space}",
    "ew_played": "{by} plays {card} against {targets}",
    "ew_targeted": "{targets} must discard for {card}",
    "card_played": "{by} has played {card}",
    "status_use_declared": "{by} wants to use {card}",
    "bolster_use_declared": "{by} wants to use {card}",
    "status_used": "{by} has used {card}",
    "air_deployed_or_marshaled": "{by} has placed an Air Force in {space}",
    "air_superiority_gained": "{by} has gained Air Superiority over {space}",
}
