"""The scopes to search, each with the seats and commands needed for one part of the protocol."""

from typing import Final

from docs.model.scope import Scope

_ONE: Final = Scope(
    name="",
    honest=("A",),
    attackers=("B",),
    decks=("A",),
    turns=("B",),
    commands=(("B", "raid A"), ("B", "pass")),
    requests=1,
)
"""One honest seat with a deck; the attacker has the host and the other seat."""
_TWO: Final = _ONE._replace(honest=("A", "B"), attackers=())
"""Two honest seats; the attacker has the host."""
_THREE: Final = _TWO._replace(attackers=("C",), turns=("C",))
"""Two honest seats; the attacker has the host and the third seat."""

_SCOPES: Final = (
    _ONE._replace(name="opening", decks=("A", "B"), deal=1, turns=(), headers=("h1", "h2", "h0")),
    _ONE._replace(
        name="commands",
        turns=("B", "A", "B", "A"),
        commands=(("B", "raid A"), ("B", "roll"), ("AB", "pass"), ("A", "play")),
        requests=4,
        enders=("host",),
    ),
    _ONE._replace(name="offers", commands=(("B", "pass"),), offers=2, offerers="B"),
    _ONE._replace(
        name="offers and commands",
        turns=("B", "A"),
        commands=(("AB", "pass"),),
        requests=3,
        offers=1,
        offerers="AB",
    ),
    _ONE._replace(
        name="draw",
        deck_size=3,
        deal=1,
        turns=("A", "AB"),
        commands=(("A", "draw"), ("A", "play"), ("B", "raid A")),
        requests=2,
    ),
    _ONE._replace(
        name="takeback",
        turns=("B", "AB"),
        commands=(("B", "raid A"), ("B", "peek A"), ("A", "play"), ("A", "pass")),
        requests=3,
        offers=1,
        offerers="AB",
    ),
    _ONE._replace(
        name="stage",
        turns=("B", "B"),
        commands=(("B", "double A"), ("B", "peek A"), ("B", "drop A")),
        requests=2,
        offers=1,
        offerers="B",
    ),
    _ONE._replace(
        name="cheating owner",
        decks=("B",),
        turns=("A", "B"),
        commands=(
            ("A", "raid B"),
            ("A", "peek B"),
            ("A", "drop B"),
            ("A", "pass"),
            ("B", "roll"),
            ("B", "play"),
        ),
        requests=2,
        offers=1,
        offerers="B",
    ),
    _ONE._replace(
        name="one of three",
        attackers=("B", "C"),
        decks=("A", "B"),
        turns=("B", "A", "C"),
        commands=(("BC", "raid A"), ("A", "raid B"), ("C", "roll"), ("A", "play")),
        requests=3,
    ),
    _ONE._replace(
        name="end",
        commands=(("B", "raid A"),),
        enders=("A", "B", "host"),
        offers=1,
        offerers="A",
    ),
    _TWO._replace(name="end of two", turns=(), commands=(), enders=("host", "B")),
    _TWO._replace(
        name="two honest seats",
        turns=("B", "AB"),
        commands=(("B", "raid A"), ("B", "pass"), ("A", "play"), ("A", "pass")),
        requests=2,
        offers=1,
        offerers="A",
    ),
    _THREE._replace(
        name="two of three",
        turns=("C", "A"),
        commands=(
            ("C", "raid A"),
            ("C", "roll"),
            ("C", "pass"),
            ("A", "play"),
            ("A", "roll"),
        ),
        requests=2,
    ),
    _THREE._replace(
        name="two of three, two decks",
        decks=("A", "C"),
        commands=(("C", "raid A"), ("C", "roll")),
    ),
)
_OPENED_BEFORE: Final = frozenset({"P-i"})
"""Cards that were opened after the image was made remain known (section 4, risk 4)."""
_OWN_COPY: Final = frozenset({"P-d", "P-i"})
"""In addition, a restored copy can be misled until the answers arrive, but the seat signs nothing based on it."""
_RISK: Final = frozenset({"P-b", "P-e", "P-g", "P-i"})
"""Properties lost after a complete restore if no honest seat has the newer messages (section 4, risk 4)."""
_RESTARTS: Final = (
    _ONE._replace(
        name="killed",
        turns=("AB",),
        commands=(("B", "raid A"), ("A", "play"), ("A", "pass")),
        restart="crash",
        restarts=1,
    ),
    _ONE._replace(
        name="restored in part",
        turns=("AB",),
        commands=(("B", "raid A"), ("B", "pass"), ("A", "pass"), ("A", "roll")),
        restart="partial",
        restarts=1,
        skipped=_OPENED_BEFORE,
    ),
    _ONE._replace(
        name="restored in part, two records",
        turns=("B", "B"),
        requests=2,
        restart="partial",
        restarts=1,
        skipped=_OPENED_BEFORE,
    ),
    _TWO._replace(
        name="restored in part beside an honest seat",
        commands=(("B", "raid A"),),
        restart="partial",
        restarts=1,
        skipped=_OWN_COPY,
    ),
    _TWO._replace(
        name="restored whole, with a witness",
        commands=(("B", "raid A"),),
        restart="complete",
        restarts=1,
        is_informed=True,
        skipped=_OWN_COPY,
    ),
    _ONE._replace(
        name="restored whole",
        commands=(("B", "raid A"), ("B", "roll")),
        restart="complete",
        restarts=1,
        skipped=_RISK,
    ),
    _TWO._replace(
        name="restored whole beside an honest seat",
        commands=(("B", "raid A"),),
        restart="complete",
        restarts=1,
        skipped=_RISK | _OWN_COPY,
    ),
    _TWO._replace(
        name="end of two, without waiting",
        turns=(),
        commands=(),
        enders=("host", "B"),
        ack_wait=True,
        skipped=frozenset({"P-c"}),
    ),
)
SCOPES: Final = {scope.name: scope for scope in (*_SCOPES, *_RESTARTS)}
"""All scopes, by name."""
SMALL: Final = ("opening", "offers", "offers and commands", "draw", "end")
"""Scopes that each take a tenth of a second to search."""
