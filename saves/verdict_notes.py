"""A verdict's notes: facts about a record file other than whether it is correct."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from saves.clocks import clock_words, face
from saves.codec import AnyGame
from saves.headers import FULL, rules_differ, rules_words
from saves.logfile import Log
from saves.protocol6.party_commitments import missing_seeds, opened_seeds
from saves.revealed_secret import is_opened, secret_of
from saves.terms import ending_words, terms_of
from saves.verdicts import GameOutcome, Status


class Note(NamedTuple):
    """A sentence about a file."""

    text: str
    is_gap: bool = False
    """True if the note reports that part of the file was dropped or remains unchecked."""


def notes_about(
    log: Log, truth: Log | None, game: AnyGame, status: Status, outcome: GameOutcome | None
) -> Iterator[Note]:
    """Yield the notes on a file.

    Args:
        log: The file's content.
        truth: The file with which it was compared; None if there was none.
        game: The rules used to check it.
        status: The verdict's status.
        outcome: How the game ended; None if it continues or the file is false.
    """
    header = log.header
    if log.torn is not None:
        yield Note(str(log.torn), is_gap=True)
    if rules_differ(game, header):
        yield Note(
            f"began under {rules_words(header)}; checked with {rules_words(game)},"
            f" {_data(header.data_digest, game)}"
        )
    if header.audience == FULL and not header.scenario:
        yield Note("begins from a custom position")
    if header.own_data is not msgspec.UNSET:
        yield Note(f"played with custom data, digest {header.own_data}")
    yield from map(Note, _agreed(log, game))
    if header.fair is msgspec.UNSET:
        yield from _seed_notes(log, truth)
    else:
        yield from _fair_notes(log, truth, status)
    if status in {"ok", "older"} and outcome is None:
        yield Note("unfinished: the game is not over")
    elif status in {"ok", "older"} and not is_opened(log):
        yield Note("unfinished: the last record, which reveals the secret, is missing")


def _seed_notes(log: Log, truth: Log | None) -> Iterator[Note]:
    """Yield notes on what remains unchecked because card seeds or the full copy are missing."""
    missing = missing_seeds(log.header, opened_seeds(log.records))
    if missing and is_opened(log):
        who = " and ".join(missing)
        text = f"{who} did not open the card seed; that seat's use of its cards remains unproven"
        yield Note(text, is_gap=True)
    if log.header.audience != FULL and not is_opened(log) and truth is None:
        text = (
            "hidden parts remain unchecked until they are compared with the full copy (--against)"
        )
        yield Note(text, is_gap=True)


def _fair_notes(log: Log, truth: Log | None, status: Status) -> Iterator[Note]:
    """Yield a note on what is still needed to prove a protocol 7 match, or saying that it is proved."""
    from saves.fair.witness import missing_seeds as unopened  # noqa: PLC0415  # most files need no ciphers

    missing = unopened(log.header, log.records)
    is_dealt = (
        log.header.fair is not msgspec.UNSET and log.header.fair.dealer_key is not msgspec.UNSET
    )
    if missing:
        text = f"unproven: {' and '.join(missing)} has not opened its card seed"
        yield Note(text, is_gap=True)
    elif status in {"false", "older"}:
        return
    elif status == "awaited":
        what = "host's secret" if is_dealt else "card seeds"
        yield Note(f"ended, not closed; waiting for the {what}", is_gap=True)
    elif is_dealt:
        yield _dealt_note(log, truth)
    elif is_opened(log):
        yield Note("proved: every card seed is open, and everything follows from them")


def _dealt_note(log: Log, truth: Log | None) -> Note:
    """Return a note on what a dealing host's secret proves about a match that is correct so far."""
    if secret_of(log, truth) is not None:
        return Note(
            "proved: everything follows from the commands, the reveals and the host's secret"
        )
    if is_opened(log):
        text = (
            "dice, draws and hidden commands can be checked only against the full copy (--against)"
        )
    else:
        text = "dice, draws and hidden commands remain unchecked until the host reveals its secret"
    return Note(text, is_gap=True)


def _agreed(log: Log, game: AnyGame) -> Iterator[str]:
    """Yield sentences about agreements made outside the rules."""
    terms = terms_of(game, log.header, log.records)
    if terms.ending is not None:
        yield f"ended early: {ending_words(game, terms.ending)}"
    if terms.adjourned:
        yield "adjourned"
    if terms.dials is not None:
        left = ", ".join(f"{role} {face(time)}" for role, time in terms.dials.left.items())
        yield f"clock: {clock_words(terms.dials.clock)}; left: {left}"
        yield "the host measured the times while each role had to decide; nothing proves that its clock was right"


def _data(digest: str, game: AnyGame) -> str:
    return "same data" if digest == game.data_digest else "other data"
