"""The scenarios and seats (2, 3, 18.1)."""

from collections.abc import Mapping
from typing import Final

from engine.kernel.errors import DataError
from engine.kernel.ids import Role, Rule
from engine.kernel.lexicon import suggestion_or_list
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import check_options
from engine.qmg.ch03_setup import shuffled_decks
from engine.qmg.ids import AXIS, COUNTRIES, GERMANY, ITALY, JAPAN, PLAYERS, TEAMS, UK, USA, USSR
from engine.qmg.position import Position
from engine.qmg.rulings import RULINGS

BASE: Final = "base"
TOTAL_WAR: Final = "total-war"
ROLES: Final = tuple(Role(country) for country in COUNTRIES)


def _roles_by_seat(*groups: tuple[str, ...]) -> tuple[tuple[Role, ...], ...]:
    return tuple(tuple(Role(country) for country in group) for group in groups)


SEATINGS: Final = (
    _roles_by_seat(PLAYERS[AXIS], PLAYERS["allies"]),
    _roles_by_seat(PLAYERS[AXIS], (UK, USSR), (USA,)),
    _roles_by_seat((GERMANY, ITALY), (JAPAN,), (UK, USSR), (USA,)),
    _roles_by_seat((GERMANY,), (JAPAN, ITALY), (UK,), (USSR,), (USA,)),
    _roles_by_seat(*((country,) for country in COUNTRIES)),
)
"""The seats for two to six players, with the countries in each seat (18.1)."""
SIDES: Final = {Role(team): tuple(Role(country) for country in PLAYERS[team]) for team in TEAMS}
"""The countries of each team. No seat may contain countries from both teams (2)."""
_GOAL: Final = (
    "A team that leads by 30 points at the end of a round wins at once (12.4);"
    " after round 20, the team with more points wins, or the Axis if they are equal (12.5)."
)


def scenario_infos() -> tuple[ScenarioInfo, ...]:
    """Return the two scenarios (3.1, 3.2)."""
    return (
        ScenarioInfo(
            id=BASE,
            name="Base game",
            rule=Rule("3.1"),
            summary="2 to 6 players, up to 20 rounds, about 2 hours",
            goal=_GOAL,
            roles=ROLES,
            seatings=SEATINGS,
            teams=SIDES,
        ),
        ScenarioInfo(
            id=TOTAL_WAR,
            name="Total War",
            rule=Rule("3.2"),
            summary="with air power, France and China, Bolster cards; about 3 hours",
            goal=_GOAL,
            roles=ROLES,
            seatings=SEATINGS,
            teams=SIDES,
        ),
    )


def starting_position(scenario: str, options: Mapping[str, str]) -> Position:
    """Return the position before set-up, with shuffled decks and an empty board (3.1, 3.2).

    Raises:
        DataError: The scenario, an option or its value is unknown.
    """
    if scenario not in {BASE, TOTAL_WAR}:
        hint = suggestion_or_list(scenario, (BASE, TOTAL_WAR))
        raise DataError("scenario", "", f"there is no scenario '{scenario}'{hint}")
    check_options(RULINGS, options)
    return Position(
        scenario=scenario,
        options={ruling.id: ruling.value(options) for ruling in RULINGS},
        round=1,
        active="",
        cards=shuffled_decks(is_total_war=scenario == TOTAL_WAR),
    )
