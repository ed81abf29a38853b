"""The seats of Quartermaster General: any partition of the countries by team (2, 18.1)."""

from collections.abc import Iterator

import pytest

from engine.kernel.errors import DataError
from engine.qmg.ids import COUNTRIES, PLAYERS
from engine.qmg.ruleset import QMG
from play.seating import assign_players, group_into_seats


def partitions(team: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield every way to distribute the countries of a team."""
    if not team:
        yield ()
        return
    for rest in partitions(team[1:]):
        yield (team[:1], *rest)
        for at, seat in enumerate(rest):
            yield (*rest[:at], (team[0], *seat), *rest[at + 1 :])


@pytest.mark.parametrize("scenario", ["base", "total-war"])
def test_18_1_any_partition_by_team_is_accepted(scenario: str) -> None:
    """18.1: two to six people, with the countries of each team distributed freely."""
    sizes, info = set(), QMG.scenario_info(scenario, {})
    for axis in partitions(PLAYERS["axis"]):
        for allies in partitions(PLAYERS["allies"]):
            seats = axis + allies
            names = tuple(f"{'+'.join(seat)}={number}" for number, seat in enumerate(seats))
            found = group_into_seats(info, assign_players(info, names, {}))
            assert {frozenset(seat) for seat in found} == {frozenset(seat) for seat in seats}
            sizes.add(len(found))
    assert sizes == {2, 3, 4, 5, 6}


@pytest.mark.parametrize("axis", PLAYERS["axis"])
@pytest.mark.parametrize("ally", PLAYERS["allies"])
def test_18_1_countries_of_both_teams_are_refused_for_one_player(axis: str, ally: str) -> None:
    """18.1: a seat has countries of only one team (2)."""
    first, second = sorted((axis, ally), key=COUNTRIES.index)
    with pytest.raises(DataError, match=f"cannot play {first}, {second}: they are not one team"):
        assign_players(QMG.scenario_info("base", {}), (f"{axis}+{ally}=Ann",), {})
