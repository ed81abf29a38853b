"""Builds a verdict's notes: additional information about a record file for the player."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from saves.clocks import describe_clock, format_remaining
from saves.codec import AnyGame
from saves.headers import FULL, Header, rules_differ, rules_words
from saves.logfile import Log
from saves.protocol6.party_commitments import missing_seeds, opened_seeds
from saves.records import Record
from saves.revealed_secret import is_revealed
from saves.terms import current_terms, ending_text
from saves.verdicts import GameOutcome, Status


class VerdictNote(NamedTuple):
    """A sentence about a file."""

    text: str
    is_gap: bool = False
    """True if the note reports data that was dropped or could not be checked."""


def notes_about(
    log: Log,
    records: Sequence[Record],
    full_log: Log | None,
    game: AnyGame,
    status: Status,
    outcome: GameOutcome | None,
    *,
    has_secret: bool,
    has_unchecked_parts: bool,
) -> Iterator[VerdictNote]:
    """Yield the notes on a file.

    Args:
        log: The contents of the file.
        records: The correct records at the beginning of the file.
        full_log: The comparison file; None if no comparison was made.
        game: The rules used to check it.
        status: The verdict's status.
        outcome: The game's outcome; None if the game is not over or the file is false.
        has_secret: True if a protocol 7 match was checked with the dealing host's secret.
        has_unchecked_parts: True if nothing has confirmed parts that a copy shows: the opening of a protocol 7 match
            begun under other rules, or partly hidden entries of another match.
    """
    header = log.header
    if log.torn is not None:
        yield VerdictNote(str(log.torn), is_gap=True)
    if rules_differ(game, header):
        yield VerdictNote(
            f"began under {rules_words(header)}; checked with {rules_words(game)},"
            f" {_data_text(header.data_digest, game)}"
        )
    if header.audience == FULL and not header.scenario:
        yield VerdictNote("begins from a custom position")
    if header.own_data is not msgspec.UNSET:
        yield VerdictNote(f"played with custom data, digest {header.own_data}")
    yield from map(VerdictNote, _agreement_sentences(log.header, records, game))
    if header.fair is msgspec.UNSET:
        yield from _seed_notes(log, full_log, has_unchecked_parts=has_unchecked_parts)
    else:
        yield from _fair_notes(log, status, has_secret=has_secret)
        # No message contains the opening, so only the rules can check it.
        if has_unchecked_parts:
            text = "the set-up and the deal remain unchecked, because the match began under different rules"
            yield VerdictNote(text, is_gap=True)
    if status in {"ok", "older"} and outcome is None:
        yield VerdictNote("unfinished: the game is not over")
    elif status in {"ok", "older"} and not is_revealed(log):
        yield VerdictNote("unfinished: the last record, which reveals the secret, is missing")


def _seed_notes(
    log: Log, full_log: Log | None, *, has_unchecked_parts: bool
) -> Iterator[VerdictNote]:
    """Yield notes on parts that remain unchecked because card seeds or the full copy are missing."""
    missing = missing_seeds(log.header, opened_seeds(log.records))
    if missing and is_revealed(log):
        names = " and ".join(missing)
        text = (
            f"{names} did not reveal the card seed; that seat's use of its cards remains unproven"
        )
        yield VerdictNote(text, is_gap=True)
    if log.header.audience == FULL or full_log is not None:
        return
    if not is_revealed(log):
        text = (
            "hidden parts remain unchecked until they are compared with the full copy (--against)"
        )
        yield VerdictNote(text, is_gap=True)
    elif has_unchecked_parts:
        text = (
            "partly hidden entries remain unchecked until they are compared with the full copy"
            " (--against)"
        )
        yield VerdictNote(text, is_gap=True)


def _fair_notes(log: Log, status: Status, *, has_secret: bool) -> Iterator[VerdictNote]:
    """Yield a note that says whether a protocol 7 match is proved or what is still needed to prove it."""
    from saves.fair.record_verifier import missing_seeds as unopened  # noqa: PLC0415  # most files need no ciphers

    missing = unopened(log.header, log.records)
    is_dealt = (
        log.header.fair is not msgspec.UNSET and log.header.fair.dealer_key is not msgspec.UNSET
    )
    if missing:
        text = f"unproven: {' and '.join(missing)} has not revealed its card seed"
        yield VerdictNote(text, is_gap=True)
    elif status in {"false", "older"}:
        return
    elif status == "awaited":
        awaited = "host's secret" if is_dealt else "card seeds"
        yield VerdictNote(f"ended, not closed; waiting for the {awaited}", is_gap=True)
    elif is_dealt:
        yield _dealt_note(log, has_secret=has_secret)
    elif is_revealed(log):
        yield VerdictNote(
            "proved: every card seed has been revealed, and everything follows from them"
        )


def _dealt_note(log: Log, *, has_secret: bool) -> VerdictNote:
    """Return a note on a correct match whose host deals.

    The note states that the host's secret proves the match, or lists the data that is still unchecked.
    """
    if has_secret:
        return VerdictNote(
            "proved: everything follows from the commands, the reveals and the host's secret"
        )
    if is_revealed(log):
        text = (
            "dice, draws and hidden commands can be checked only against the full copy (--against)"
        )
    else:
        text = "dice, draws and hidden commands remain unchecked until the host reveals its secret"
    return VerdictNote(text, is_gap=True)


def _agreement_sentences(header: Header, records: Sequence[Record], game: AnyGame) -> Iterator[str]:
    """Yield sentences about agreements outside the rules."""
    terms = current_terms(game, header, records)
    if terms.ending is not None:
        yield f"ended early: {ending_text(game, terms.ending, terms.ending_role)}"
    if terms.adjourned:
        yield "adjourned"
    if terms.player_clocks is not None:
        times_left = ", ".join(
            f"{role} {format_remaining(time)}" for role, time in terms.player_clocks.left.items()
        )
        yield f"clock: {describe_clock(terms.player_clocks.clock)}; left: {times_left}"
        yield "the host measured the times while each role had to decide; nothing proves that its clock was right"


def _data_text(digest: str, game: AnyGame) -> str:
    return "same data" if digest == game.data_digest else "other data"
