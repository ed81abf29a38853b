"""Scenarios, seats and switches of the game (2, 8.3, 18)."""

from collections.abc import Mapping
from typing import Final

from engine.kernel.errors import DataError
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Option, ScenarioInfo
from engine.qmg.ch03_setup import shuffled_decks
from engine.qmg.ids import AXIS, COUNTRIES, GERMANY, ITALY, JAPAN, PLAYERS, TEAMS, UK, USA, USSR
from engine.qmg.position import Position

BASE: Final = "base"
TOTAL_WAR: Final = "total-war"
ROLES: Final = tuple(Role(country) for country in COUNTRIES)

OPTIONS: Final[tuple[Option, ...]] = (
    Option(
        id="reallocate",
        text="Reallocate Resources in the base game, at cost 4 (8.3); always on with Total War",
        values=("off", "on"),
    ),
    Option(
        id="strict-navy-links",
        text="Does a Navy without a port break a supply line? (18.4)",
        values=("off", "on"),
    ),
)


def _seats(*groups: tuple[str, ...]) -> tuple[tuple[Role, ...], ...]:
    return tuple(tuple(Role(country) for country in group) for group in groups)


SEATINGS: Final = (
    _seats(PLAYERS[AXIS], PLAYERS["allies"]),
    _seats(PLAYERS[AXIS], (UK, USSR), (USA,)),
    _seats((GERMANY, ITALY), (JAPAN,), (UK, USSR), (USA,)),
    _seats((GERMANY,), (JAPAN, ITALY), (UK,), (USSR,), (USA,)),
    _seats(*((country,) for country in COUNTRIES)),
)
"""Who sits together with two to six people (18.1)."""
PARTNERS: Final = tuple(tuple(Role(country) for country in PLAYERS[team]) for team in TEAMS)
"""No seat may hold countries of both teams (2)."""


def scenario_infos() -> tuple[ScenarioInfo, ...]:
    """Return the two games (3.1, 3.2)."""
    return (
        ScenarioInfo(
            id=BASE,
            name="Base game",
            rule=Rule("3.1"),
            summary="2 to 6 players, up to 20 rounds, about 2 hours",
            roles=ROLES,
            seatings=SEATINGS,
            partners=PARTNERS,
        ),
        ScenarioInfo(
            id=TOTAL_WAR,
            name="Total War",
            rule=Rule("3.2"),
            summary="with air power, France and China, Bolster cards; about 3 hours",
            roles=ROLES,
            seatings=SEATINGS,
            partners=PARTNERS,
        ),
    )


def check_options(options: Mapping[str, str]) -> None:
    """Accept or refuse switches.

    Raises:
        DataError: Unknown switch or value.
    """
    known = {option.id: option.values for option in OPTIONS}
    for name, value in options.items():
        if name not in known:
            raise DataError(
                "options", name, f"there is no option '{name}'; known: {', '.join(sorted(known))}"
            )
        if value not in known[name]:
            raise DataError(
                "options", name, f"'{value}' is none of its values: {', '.join(known[name])}"
            )


def starting_position(scenario: str, options: Mapping[str, str]) -> Position:
    """Return the position before set-up: shuffled decks and an empty board (3.1, 3.2).

    Raises:
        DataError: Unknown scenario, option or value.
    """
    if scenario not in {BASE, TOTAL_WAR}:
        raise DataError(
            "scenario", "", f"there is no scenario '{scenario}'; known: {BASE}, {TOTAL_WAR}"
        )
    check_options(options)
    chosen = {option.id: options.get(option.id, option.values[0]) for option in OPTIONS}
    return Position(
        scenario=scenario,
        options=chosen,
        round=1,
        active="",
        cards=shuffled_decks(total_war=scenario == TOTAL_WAR),
    )
