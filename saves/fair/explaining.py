"""What a copy of a match of protocol 7 proves: the promises of ``docs/fair-play.md``, one by one."""

from collections.abc import Sequence

import msgspec

from engine.kernel.ids import Role
from saves.explaining import Extent, Proof, Topic
from saves.fair.setup import terms_of
from saves.fair.witness import missing_seeds
from saves.headers import Header
from saves.records import Record

_CHAIN_DIGITS = 16


def explain_fair(header: Header, records: Sequence[Record]) -> tuple[Proof, ...]:
    """Return what a copy proves, as far as its records are right.

    Args:
        header: Of a match of protocol 7.
        records: Its records, as far as they are right.
    """
    if not records:
        return ()
    is_closed = records[-1].kind == "reveal"
    missing = missing_seeds(header, records)
    hosted = [party.role for party in terms_of(header).parties if party.place != "own machine"]
    by_seeds = _by_seeds(missing, is_closed=is_closed)
    found: tuple[tuple[Topic, tuple[Extent, str]], ...] = (
        ("legality", _legality(missing, is_closed=is_closed)),
        ("dice and draws", _chance(hosted)),
        ("deal", by_seeds),
        ("hands", _hands(hosted)),
        (
            "authorship",
            ("proved", "Each command is signed with the key of its seat, at its place."),
        ),
        ("consent", ("proved", "Every agreement has the signatures of all who had to agree.")),
        ("one history", _history(records)),
    )
    return tuple(Proof(topic=topic, extent=extent, text=text) for topic, (extent, text) in found)


def _legality(missing: Sequence[Role], *, is_closed: bool) -> tuple[Extent, str]:
    public = "Public results follow the rules, the dice and the cards that were opened"
    if not is_closed:
        return "partly", f"{public}. Hidden choices are checked with the card seeds, after the end."
    if missing:
        return "partly", f"{public}. Hidden choices of {_listed(missing)} stay unproven."
    return "proved", f"{public}. Hidden choices were legal."


def _chance(hosted: Sequence[Role]) -> tuple[Extent, str]:
    if hosted:
        text = f"the host has the secrets of {_listed(hosted)}, which count as the host's"
        return "proved", f"Made by all parties together; {text}. One honest party is enough."
    return "proved", "Made by all parties together: uniform as long as one party is honest."


def _by_seeds(missing: Sequence[Role], *, is_closed: bool) -> tuple[Extent, str]:
    mixed = "Every mix that a throw has challenged is proved (error 2^-20)"
    if not is_closed:
        return "partly", f"{mixed}; later mixes and faces are checked with the card seeds."
    if missing:
        return "partly", f"{mixed}. {_listed(missing)} has not opened its card seed."
    return "proved", "Every deck has exactly its cards, none twice: all card seeds are open."


def _hands(hosted: Sequence[Role]) -> tuple[Extent, str]:
    if hosted:
        return "partly", f"The host can read the hand of {_listed(hosted)}, whose secrets it keeps."
    text = "Hidden cards of a seat stay secret until it opens them, against all others together"
    return "proved", f"{text}. This protocol has had no outside review."


def _history(records: Sequence[Record]) -> tuple[Extent, str]:
    chain = records[-1].chain.hex()[:_CHAIN_DIGITS]
    if any(record.transcript is not msgspec.UNSET for record in records):
        text = "Each throw needs a reveal of every party over the same transcript"
        return (
            "proved",
            f"{text}. For what follows the last throw, compare the chain value {chain}.",
        )
    return "not proved", f"No throw has joined the copies yet: compare the chain value {chain}."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
