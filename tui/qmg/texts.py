"""Texts for commands: labels, headings, and the spaces that they refer to."""

from typing import Final

from engine.qmg import commands as c
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from engine.qmg.cards.wording import describe_steps
from engine.qmg.deck import CARD
from engine.qmg.ids import AIR, FORCES, HIDDEN
from engine.qmg.view import QmgView

LETTERS: Final = {
    "germany": "G",
    "uk": "B",
    "japan": "J",
    "ussr": "S",
    "italy": "I",
    "usa": "A",
    "france": "F",
    "china": "C",
}
"""Initials of the countries' adjectives: German, British, Japanese, Soviet, Italian, American, French, Chinese."""
CODES: Final = {
    "germany": "GE",
    "uk": "UK",
    "japan": "JP",
    "ussr": "SU",
    "italy": "IT",
    "usa": "US",
    "france": "FR",
    "china": "CN",
}
"""Country codes on the map's chips."""
SHORT_FORCES: Final = {
    "germany": "Ger",
    "uk": "Brit",
    "japan": "Jap",
    "ussr": "Sov",
    "italy": "Ital",
    "usa": "US",
    "france": "Fr",
    "china": "Chin",
}
FORCE_TITLES: Final = {force: say.FORCE_NAMES[force].removeprefix("the ") for force in FORCES}
TEAM_TITLES: Final = {"axis": "Axis", "allies": "Allies"}
_KINDS: Final = {
    "play": "Play a card",
    "drop": "Discard a card instead of playing",
    "use": "Use a card",
    "discard": "Discard a card",
    "take": "Take a card",
    "build": "Build a piece",
    "designate": "Count a piece as just built",
    "recruit": "Recruit a piece",
    "battle": "Battle a space",
    "eliminate": "Eliminate a piece",
    "remove": "Take a piece off the board",
    "withdraw": "Take your own piece off the board",
    "deploy": "Deploy an Air Force",
    "marshal": "Marshal an Air Force",
    "superiority": "Gain Air Superiority",
    "reposition": "Reposition an Air Force",
}
"""Headings for verbs that can have many options."""
_BY_CARD: Final = (c.Play, c.Drop, c.Use, c.Discard, c.Take)


def type_name(card: str) -> str:
    """Return the name of a card's type."""
    return say.card_type_name(CARD[card].type)


def card_text(card: str) -> str:
    """Return a card's title with its type, unless the title is already the type."""
    if card == HIDDEN or card not in CARD:
        return "a card"
    name, kind = CARD[card].name, type_name(card)
    return name if name == kind else f"{name} ({kind})"


def card_cells(card: str) -> tuple[str, ...]:
    """Return a card in columns: title and type, unless the title is already the type."""
    if card == HIDDEN or card not in CARD:
        return ()
    name, kind = CARD[card].name, type_name(card)
    return "", name, "" if name == kind else kind


def equivalence_key(command: c.QmgCommand) -> tuple[str, str]:
    """Return a key that is equal for options with the same effect, such as two copies of a card."""
    kind = type(command).__name__
    if isinstance(command, _BY_CARD):
        return kind, same_card(command.card)
    return kind, repr(command)


def same_card(card: str) -> str:
    """Return a key that is equal for all cards with this title and text."""
    return f"{CARD[card].name}: {CARD[card].effect}" if card in CARD else card


def _using(view: QmgView, force: str) -> str:
    """Return a phrase that names the owner of the pieces used; empty for the viewer's own."""
    return "" if force == view.role else f" with {say.force_name(force)}"


def _target(force: str | None, kind: str) -> str:
    return f" against the {say.piece_name(force, kind)}" if force else ", which is empty"


def _battle_kind(space: str) -> str:
    return "navy" if SPACE[space].kind == "sea" else "army"


def label(view: QmgView, command: c.QmgCommand) -> str:  # noqa: C901, PLR0911, PLR0912 - one line per verb
    """Describe a command."""
    place = say.space_with_article
    match command:
        case c.Play(card=card):
            return f"Play {card_text(card)}"
        case c.Drop(card=card):
            return f"Discard {card_text(card)} without effect"
        case c.Use(card=card):
            return f"Use {card_text(card)}"
        case c.Discard(card=card):
            return f"Discard {card_text(card)}"
        case c.Take(card=card):
            return f"Take {card_text(card)}"
        case c.Pass():
            return "Pass: use nothing"
        case c.Done():
            return "Done: no more of this"
        case c.Yes():
            return "Yes"
        case c.DiscardTop():
            return "Discard the top card of the deck"
        case c.LosePoint():
            return "Lose 1 VP"
        case c.Reallocate():
            return "Reallocate Resources: discard, then search for a basic card"
        case c.Build(force=force, piece=piece, space=space):
            return f"Build {say.piece_with_article(force, piece)} in {place(space)}"
        case c.Designate(force=force, piece=piece, space=space):
            return f"Count the {say.piece_name(force, piece)} in {place(space)} as just built"
        case c.Recruit(force=force, piece=piece, space=space):
            return f"Recruit {say.piece_with_article(force, piece)} in {place(space)}"
        case c.Battle(force=force, space=space, target=target):
            against = _target(target, _battle_kind(space))
            return f"Battle {place(space)}{against}{_using(view, force)}"
        case c.Eliminate(force=force, piece=piece, space=space):
            return f"Eliminate the {say.piece_name(force, piece)} in {place(space)}"
        case c.Remove(force=force, piece=piece, space=space):
            return f"Take the {say.piece_name(force, piece)} in {place(space)} off the board"
        case c.Withdraw(force=force, piece=piece, space=space):
            return f"Withdraw the {say.piece_name(force, piece)} from {place(space)}"
        case c.Deploy(force=force, space=space):
            return f"Deploy {say.piece_with_article(force, AIR)} in {place(space)}"
        case c.Marshal(force=force, origin=origin, space=space):
            return (
                f"Marshal the {say.piece_name(force, AIR)} from {place(origin)} to {place(space)}"
            )
        case c.Superiority(origin=origin, space=space, target=target):
            against = _target(target, AIR).replace(", which is empty", " (no Air Force there)")
            return f"Gain Air Superiority over {place(space)} from {place(origin)}{against}"
        case c.Reposition(force=force, space=space):
            return f"Reposition the {say.piece_name(force, AIR)} to {place(space)}"
        case c.AirDefense():
            return "Air Defense: lose your Air Force there instead"
        case c.AirAttack(space=space):
            return f"Air Attack: give up the Air Force in {place(space)}, so that the target goes"
        case c.Choose(part=part):
            known = 0 < part <= len(view.parts)
            return describe_steps(view.parts[part - 1]) if known else f"Part {part} of the card"
        case c.Name(force=force):
            return FORCE_TITLES.get(force, force)


def detail(view: QmgView, command: c.QmgCommand) -> str:
    """Describe a command below a heading that names its space or card."""
    match command:
        case c.Marshal(space=space):
            return f"To {say.space_with_article(space)}"
        case c.Battle(force=force, space=space, target=target) if target:
            return f"The {say.piece_name(target, _battle_kind(space))}{_using(view, force)}"
        case _:
            return label(view, command)


def short_label(view: QmgView, command: c.QmgCommand) -> str:
    """Describe a command below a heading that names its verb. For a card, the title and type suffice."""
    return card_text(command.card) if isinstance(command, _BY_CARD) else label(view, command)


def kind(word: str, summary: str) -> str:
    """Return the heading of a verb."""
    return _KINDS.get(word, summary)


def subject(command: c.QmgCommand) -> tuple[str, str] | None:
    """Return the subject of an option as key and name: a card, the space a piece leaves, a force, or a space."""
    if isinstance(command, _BY_CARD):
        return same_card(command.card), card_text(command.card)
    if isinstance(command, c.Marshal):
        return command.origin, f"From {say.space_with_article(command.origin)}"
    if isinstance(command, c.Withdraw | c.Remove | c.Eliminate):
        return command.force, FORCE_TITLES[command.force]
    space = getattr(command, "space", "")
    return (space, say.space_name(space)) if space else None


def places(command: object) -> tuple[str, ...]:
    """Return the spaces to which a command refers, its target first."""
    found = (getattr(command, "space", ""), getattr(command, "origin", ""))
    return tuple(space for space in found if space in SPACE)
