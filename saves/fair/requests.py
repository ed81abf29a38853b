"""Checks requests before their commands are resolved, using only information that every copy has."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from engine.kernel.cards import PileKind
from engine.kernel.errors import FlagplotError, HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.codec import AnyGame, codec
from saves.decoding import convert
from saves.errors import UnreadableError
from saves.fair.messages import PublicEntry, Request
from saves.fair.sealing import sealed_bytes
from saves.fair.secrets import box_bytes
from saves.fair.state import FairState, KnownFace, MatchSetup, OwedOpen
from saves.statements import TAGS
from saves.timeline import FOLD_ERRORS

Plain: TypeAlias = Any
"""Plain data that represents a command or a game state."""


class InvalidMessageError(FlagplotError):
    """A request, proposal or completion is invalid."""


def decode_request_command(setup: MatchSetup, entry: PublicEntry) -> Command:
    """Decode the public form of the command in a request.

    Raises:
        UnreadableError: The entry is not one of this game's commands.
    """
    # The codec also decodes statements, but a statement is never a game command.
    if entry.tag in TAGS:
        raise UnreadableError("a statement is not a command")
    command = codec(setup.game).command(entry.tag, entry.v, entry.body)
    if codec(setup.game).pack(command) != (entry.tag, entry.v, entry.body):
        raise UnreadableError("the command is not in canonical form")
    return command


def check_box(setup: MatchSetup, box: bytes, entries: int) -> None:
    """Check that a box has the length required for the number of hidden entries.

    Raises:
        InvalidMessageError: The length is wrong.
    """
    if len(box) != box_bytes(entries, setup.game.hidden_entry_bytes):
        raise InvalidMessageError(
            f"a box for {entries} hidden entries must not have {len(box)} bytes"
        )


def _check_request_box(setup: MatchSetup, box: bytes, *, is_open: bool) -> None:
    """Check the length of a request's box, which only its actor or a dealing host can decrypt.

    Raises:
        InvalidMessageError: The length is wrong.
    """
    if setup.deals:
        check_box(setup, box, 0 if is_open else 1)
    elif len(box) != (0 if is_open else sealed_bytes(setup.game.hidden_entry_bytes)):
        raise InvalidMessageError(
            f"the box of a command for the host must not have {len(box)} bytes"
        )


def has_hidden(item: object) -> bool:
    """Return whether a command's or event's public form hides data, that is, contains ``HIDDEN``."""
    return _contains_hidden(msgspec.to_builtins(item))


def _contains_hidden(plain: object) -> bool:
    match plain:
        case dict():
            return any(map(_contains_hidden, plain.values()))
        case list() | tuple():
            return any(map(_contains_hidden, plain))
        case _:
            return plain == HIDDEN


def check_request(state: FairState, author: Role, body: Request) -> Iterator[None]:
    """Check a command's public parts before the command is resolved. Yield after each failed reading.

    A reading is one possible full form of the command. An invalid hidden command takes longest to check, because it is
    tried with every card in the deck and every pile. The caller may do other work between readings.

    Raises:
        InvalidMessageError: The rules do not produce this public form, or do not allow the command.
    """
    setup, game = state.setup, state.setup.game
    command = decode_request_command(setup, body.command)
    is_open = not body.command.commitment
    _check_request_box(setup, body.box, is_open=is_open)
    if game.redact_command(command, author, None) != command:
        raise InvalidMessageError("the command shows hidden information")
    if has_hidden(command) == is_open:
        raise InvalidMessageError(
            "a command must have a commitment if, and only if, it hides something"
        )
    if author not in game.active_roles(state.state) and not game.free_actions(state.state, author):
        raise InvalidMessageError(f"{author} has nothing to decide now")
    # One legal reading is enough, because refusing an honest command would blame an innocent
    # author.
    for reading in readings(state, author, command, ()):
        if not is_refused(game, reading.state, author, reading.command):
            return
        yield
    raise InvalidMessageError(f"the rules do not let {author} give this command now")


class Reading(msgspec.Struct, frozen=True):
    """One possible full form of a public command, and the public state in which to test whether it is legal."""

    state: Any
    command: Command


def readings(
    state: FairState, actor: Role, command: Command, faces: tuple[KnownFace, ...]
) -> Iterator[Reading]:
    """Yield the possible full forms of a public command: first the command itself, then one for each possible card.

    Args:
        state: A state before or during the record. It must contain the game state before the record.
        actor: The role that gave the command.
        command: The public form.
        faces: The named cards that open labels show. Any other named card is tried in each pile.
    """
    game, known_state = state.setup.game, state.state
    for face in faces:
        known_state = game.with_hidden_card(known_state, actor, face.pile, face.card)
    piles = game.card_piles(known_state, actor)
    hidden_piles = [name for name, contents in piles.items() if HIDDEN in contents.cards]
    visible_cards = {card for contents in piles.values() for card in contents.cards}
    named_cards = [card for card in game.named_cards(actor, command) if card not in visible_cards]
    if not named_cards:
        yield Reading(known_state, command)
    for name in hidden_piles if named_cards else ():
        tried_state = known_state
        for card in named_cards:
            tried_state = game.with_hidden_card(tried_state, actor, name, card)
        yield Reading(tried_state, command)
    if has_hidden(command):
        yield from _hidden_readings(state, actor, command, known_state)


def _hidden_readings(
    state: FairState, actor: Role, command: Command, shown: Plain
) -> Iterator[Reading]:
    """Yield one reading of a hidden command for each card that it may hide, cards with unopened labels first."""
    game = state.setup.game
    plain = msgspec.to_builtins(command)
    piles = game.card_piles(shown, actor)
    hidden_piles = [name for name, contents in piles.items() if HIDDEN in contents.cards]
    # Most hidden commands play a card from the hand, so trying hands first finds a legal reading
    # sooner.
    sorted_piles = sorted(hidden_piles, key=lambda name: piles[name].kind is not PileKind.HAND)
    visible: list[Reading] = []
    for card in game.decks().get(actor, ()):
        full_command = convert(_with_card(plain, card), game.command_type)
        if game.redact_command(full_command, actor, None) != command:
            continue
        if state.table.find_face(actor, card) is not None:
            visible.append(Reading(shown, full_command))
            continue
        for name in sorted_piles:
            yield Reading(game.with_hidden_card(shown, actor, name, card), full_command)
    # A command may also hide a card that everyone can see, because the public form is the same.
    yield from visible


def _with_card(plain: Plain, card: str) -> Plain:
    match plain:
        case dict():
            return {key: _with_card(value, card) for key, value in plain.items()}
        case list() | tuple():
            return [_with_card(value, card) for value in plain]
        case _:
            return card if plain == HIDDEN else plain


def is_refused(game: AnyGame, shown: Plain, author: Role, command: Command) -> bool:
    """Return whether the rules forbid a command.

    Return False if that depends on a card that this copy does not know.
    """
    try:
        return not game.is_legal(shown, author, command)
    except HiddenError:
        return False
    except FOLD_ERRORS:
        return False


def named_opens(state: FairState, author: Role, body: Request) -> tuple[OwedOpen, ...]:
    """Return the cards that a public command names but whose labels have not been opened yet."""
    return tuple(
        OwedOpen(author, card)
        for card in _named_cards(state, author, body)
        if state.table.find_face(author, card) is None
    )


def named_faces(state: FairState, author: Role, body: Request) -> tuple[KnownFace, ...]:
    """Return the cards named in a public command that open labels already show, with their piles."""
    named = [
        (card, state.table.find_face(author, card)) for card in _named_cards(state, author, body)
    ]
    return tuple(
        KnownFace(pile_and_label[0].name, card)
        for card, pile_and_label in named
        if pile_and_label is not None
    )


def _named_cards(state: FairState, author: Role, body: Request) -> tuple[str, ...]:
    if body.command.commitment or not state.setup.deals or author not in state.table.decks:
        return ()
    command = decode_request_command(state.setup, body.command)
    return tuple(dict.fromkeys(state.setup.game.named_cards(author, command)))
