"""Labels, headings and target spaces of commands."""

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
"""Initials of the adjectives German, British, Japanese, Soviet, Italian, American, French and Chinese."""
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
FORCE_TITLES: Final = {force: say.FORCE_NAMES[force].removeprefix("the ") for force in FORCES}
TEAM_TITLES: Final = {"axis": "Axis", "allies": "Allies"}
_VERB_HEADINGS: Final = {
    "play": "Play a card",
    "drop": "Discard a card instead of playing",
    "use": "Use a card",
    "discard": "Discard a card",
    "take": "Take a card",
    "build": "Build a piece",
    "designate": "Build nothing: a piece counts as just built",
    "recruit": "Recruit a piece",
    "battle": "Battle a space",
    "eliminate": "Eliminate a piece",
    "remove": "Take one of your pieces off the board",
    "withdraw": "Withdraw one of your pieces",
    "deploy": "Deploy an Air Force",
    "marshal": "Marshal an Air Force",
    "superiority": "Gain Air Superiority",
    "reposition": "Reposition an Air Force",
}
"""Headings for verbs that can have many options."""
_CARD_COMMANDS: Final = (c.Play, c.Drop, c.Use, c.Discard, c.Take)


def type_name(card: str) -> str:
    """Return the name of a card's type."""
    return say.card_type_name(CARD[card].type)


def card_text(card: str) -> str:
    """Return a card's title and type. The type is omitted if it is the same as the title."""
    if card == HIDDEN or card not in CARD:
        return "a card"
    name, type_text = CARD[card].name, type_name(card)
    return name if name == type_text else f"{name} ({type_text})"


def equivalence_key(command: c.QmgCommand) -> tuple[str, str]:
    """Return a key that is the same for all options with the same effect, such as two copies of a card."""
    command_type = type(command).__name__
    if isinstance(command, _CARD_COMMANDS):
        return command_type, card_key(command.card)
    return command_type, repr(command)


def card_key(card: str) -> str:
    """Return a key that is the same for all cards with the same title and text."""
    return f"{CARD[card].name}: {CARD[card].effect}" if card in CARD else card


def _owner_phrase(view: QmgView, force: str) -> str:
    """Return a phrase that names the owner of the pieces used; empty if the viewer owns them."""
    return "" if force == view.role else f" with {say.force_name(force)}"


def _target_phrase(force: str | None, piece_kind: str) -> str:
    return f" against the {say.piece_name(force, piece_kind)}" if force else ", which is empty"


def _battle_kind(space: str) -> str:
    return "navy" if SPACE[space].kind == "sea" else "army"


def label(view: QmgView, command: c.QmgCommand) -> str:  # noqa: C901, PLR0911, PLR0912 - one line per verb
    """Describe a command."""
    space_text = say.space_with_article
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
            return "Done"
        case c.Yes():
            return "Yes"
        case c.DiscardTop():
            return "Discard the top card of the deck"
        case c.LosePoint():
            return "Lose 1 VP"
        case c.Reallocate():
            return "Reallocate Resources: discard, then search for a basic card"
        case c.Build(force=force, piece=piece, space=space):
            return f"Build {say.piece_with_article(force, piece)} in {space_text(space)}"
        case c.Designate(force=force, piece=piece, space=space):
            return f"Build nothing: the {say.piece_name(force, piece)} in {space_text(space)} counts as just built"
        case c.Recruit(force=force, piece=piece, space=space):
            return f"Recruit {say.piece_with_article(force, piece)} in {space_text(space)}"
        case c.Battle(force=force, space=space, target=target):
            target_phrase = _target_phrase(target, _battle_kind(space))
            return f"Battle {space_text(space)}{target_phrase}{_owner_phrase(view, force)}"
        case c.Eliminate(force=force, piece=piece, space=space):
            return f"Eliminate the {say.piece_name(force, piece)} in {space_text(space)}"
        case c.Remove(force=force, piece=piece, space=space):
            return f"Take the {say.piece_name(force, piece)} in {space_text(space)} off the board"
        case c.Withdraw(force=force, piece=piece, space=space):
            return f"Withdraw the {say.piece_name(force, piece)} from {space_text(space)}"
        case c.Deploy(force=force, space=space):
            return f"Deploy {say.piece_with_article(force, AIR)} in {space_text(space)}"
        case c.Marshal(force=force, origin=origin, space=space):
            return f"Marshal the {say.piece_name(force, AIR)} from {space_text(origin)} to {space_text(space)}"
        case c.Superiority(origin=origin, space=space, target=target):
            target_phrase = _target_phrase(target, AIR).replace(
                ", which is empty", " (no Air Force there)"
            )
            return f"Gain Air Superiority over {space_text(space)} from {space_text(origin)}{target_phrase}"
        case c.Reposition(force=force, space=space):
            return f"Reposition the {say.piece_name(force, AIR)} to {space_text(space)}"
        case c.AirDefense():
            return "Air Defense: lose your Air Force there instead"
        case c.AirAttack(space=space):
            return f"Air Attack: give up the Air Force in {space_text(space)} to remove the target"
        case c.Choose(part=part):
            is_known = 0 < part <= len(view.parts)
            return describe_steps(view.parts[part - 1]) if is_known else f"Part {part} of the card"
        case c.Name(force=force):
            return FORCE_TITLES.get(force, force)


def detail(view: QmgView, command: c.QmgCommand) -> str:
    """Describe a command listed below a heading that names the command's space or card."""
    match command:
        case c.Marshal(space=space):
            return f"To {say.space_with_article(space)}"
        case c.Battle(force=force, space=space, target=target) if target:
            return f"The {say.piece_name(target, _battle_kind(space))}{_owner_phrase(view, force)}"
        case _:
            return label(view, command)


def short_label(view: QmgView, command: c.QmgCommand) -> str:
    """Describe a command listed below a heading that names its verb. For a card, return the card's title and type."""
    return card_text(command.card) if isinstance(command, _CARD_COMMANDS) else label(view, command)


def verb_heading(word: str, summary: str) -> str:
    """Return the heading for a verb."""
    return _VERB_HEADINGS.get(word, summary)


def subject(command: c.QmgCommand) -> tuple[str, str] | None:
    """Return the key and name of a command's subject, such as a card, a force or a space; None if it has no subject."""
    if isinstance(command, _CARD_COMMANDS):
        return card_key(command.card), card_text(command.card)
    if isinstance(command, c.Marshal):
        return command.origin, f"From {say.space_with_article(command.origin)}"
    if isinstance(command, c.Withdraw | c.Remove | c.Eliminate):
        return command.force, FORCE_TITLES[command.force]
    space = getattr(command, "space", "")
    return (space, say.space_name(space)) if space else None


def places(command: object) -> tuple[str, ...]:
    """Return the spaces named in a command, the target first."""
    space_ids = (getattr(command, "space", ""), getattr(command, "origin", ""))
    return tuple(space for space in space_ids if space in SPACE)
