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
_LATER = "the rest is checked with the secret of the host, after the end."
_LEGAL = (
    "Every command was legal, hidden ones too, and the rules make exactly these events of them."
)
_FOLLOWS = "What does not depend on dice or hidden cards follows the rules"
_DEALT = "Dealt by the host with the chance of all parties: it could not choose a card."
_HOST_READS = (
    "The host could read every hand and every hidden command; other seats and spectators could not."
)


def explain_fair(
    header: Header, records: Sequence[Record], *, has_secret: bool = False
) -> tuple[Proof, ...]:
    """Return what a copy proves, as far as its records are right.

    Args:
        header: Of a match of protocol 7.
        records: Its records, as far as they are right.
        has_secret: Whether every command was decided again with the secret of a host that deals.
    """
    if not records:
        return ()
    is_closed = records[-1].kind == "reveal"
    if terms_of(header).dealer_key is not msgspec.UNSET:
        return _by_dealer(header, records, is_open=has_secret)
    missing = missing_seeds(header, records)
    hosted = [party.role for party in terms_of(header).parties if party.place != "own machine"]
    by_seeds = _by_seeds(missing, is_closed=is_closed)
    found: tuple[tuple[Topic, tuple[Extent, str]], ...] = (
        ("legality", _legality(missing, is_closed=is_closed)),
        ("dice and draws", _chance(hosted)),
        ("deal", by_seeds),
        ("hands", _hands(hosted)),
        *_signed(records),
    )
    return tuple(Proof(topic=topic, extent=extent, text=text) for topic, (extent, text) in found)


def _signed(records: Sequence[Record]) -> tuple[tuple[Topic, tuple[Extent, str]], ...]:
    """Return what signatures prove, whether seats or host deal."""
    author = "Each command is signed with the key of its seat, at its place."
    return (
        ("authorship", ("proved", author)),
        ("consent", ("proved", "Every agreement has the signatures of all who had to agree.")),
        ("one history", _history(records)),
    )


def _by_dealer(header: Header, records: Sequence[Record], *, is_open: bool) -> tuple[Proof, ...]:
    """Return what a copy of a match proves whose host deals.

    Args:
        header: Of the match.
        records: Those that are right.
        is_open: Whether every command was decided again with the secret of the host.
    """
    hosted = [party.role for party in terms_of(header).parties if party.place != "own machine"]
    extent: Extent = "proved" if is_open else "partly"
    found: tuple[tuple[Topic, tuple[Extent, str]], ...] = (
        ("legality", (extent, _LEGAL if is_open else f"{_FOLLOWS}; {_LATER}")),
        ("dice and draws", (extent, _dealt_chance(hosted, is_open=is_open))),
        (
            "deal",
            (extent, _DEALT if is_open else f"Its chance has a reveal of every party; {_LATER}"),
        ),
        ("hands", ("not proved", _HOST_READS)),
        *_signed(records),
    )
    return tuple(Proof(topic=topic, extent=extent, text=text) for topic, (extent, text) in found)


def _dealt_chance(hosted: Sequence[Role], *, is_open: bool) -> str:
    if not is_open:
        return f"Each throw has a reveal of every party; {_LATER}"
    text = "Made by all parties and the secret of the host together, each die and card checked"
    if hosted:
        text = f"{text}; the host has the secrets of {_listed(hosted)}, which count as the host's"
    return f"{text}. Neither the host nor the others can choose or foresee one, if one party is honest."


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
