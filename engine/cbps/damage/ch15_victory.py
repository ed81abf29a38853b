"""Victory points and levels (15)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.cbps.damage.ch12_hulls import hull_level, us_level
from engine.cbps.data.verdicts import VERDICTS
from engine.cbps.ids import Verdict
from engine.cbps.scenario_rules import GHOST_SCENARIO
from engine.cbps.state import State
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.sentences import count_noun

FALSE_CONTACTS: Final = "false-contact-"
"""Prefix of the numbered names under which Scenario 4 scores false contacts."""
_POINTS_PER_VP: Final = 5


class ScoreLine(NamedTuple):
    """One line of the score, such as the points for a sunk carrier."""

    label: str
    points: int


class VictoryVerdict(NamedTuple):
    """A victory level: its description and verdict."""

    level_words: str
    verdict: Verdict


def score_lines(state: State) -> Iterator[ScoreLine]:
    """Yield the lines of the current score (15.1, OP-53)."""
    points = state.game_data.scenarios[state.scenario].victory.points
    match state.scenario:
        case "1":
            yield from _first_raid_lines(state)
        case "2":
            yield from _japanese_carrier_lines(state)
            lost_unit_count, returning_count = _lost_units(state)
            yield ScoreLine(
                f"{count_noun(lost_unit_count, 'US unit')} lost in the attack",
                -(lost_unit_count // 2),
            )
            yield ScoreLine(
                f"{count_noun(returning_count, 'US unit')} lost on the way home",
                -(returning_count // 4),
            )
        case "3":
            yield ScoreLine(
                f"{count_noun(state.destroyed, 'Japanese air point')} destroyed",
                state.destroyed * points["point_destroyed"],
            )
            yield from _us_carrier_lines(state)
            yield from _us_unit_lines(state)
            ready_count = sum(
                unit.place == "ready"
                and state.game_data.air_types[state.game_data.air_units[name].type].role == "attack"
                for name, unit in state.units.items()
            )
            yield ScoreLine(f"{count_noun(ready_count, 'attack unit')} ready", ready_count // 2)
        case "4":
            for name, contact in state.found.items():
                number = name.removeprefix(FALSE_CONTACTS)
                label = f"Force {name}" if number == name else f"False contact {number}"
                yield ScoreLine(label, contact)
        case _:
            yield from _japanese_carrier_lines(state)
            yield from _air_point_lines(state)
            yield from _us_carrier_lines(state)
            yield from _us_unit_lines(state)
            yield from _boat_and_exit_lines(state)


def _first_raid_lines(state: State) -> Iterator[ScoreLine]:
    points = state.game_data.scenarios[state.scenario].victory.points
    units_lost = sum(_lost_units(state))
    destroyed_count, points_through = state.destroyed, state.through
    yield ScoreLine(
        f"{count_noun(destroyed_count, 'Japanese air point')} destroyed",
        destroyed_count * points["point_destroyed"],
    )
    yield ScoreLine(
        f"{count_noun(units_lost, 'US unit')} lost", units_lost * points["us_unit_lost"]
    )
    yield ScoreLine(
        f"{count_noun(points_through, 'air point')} got through",
        points_through * points["point_through"],
    )


def _lost_units(state: State) -> tuple[int, int]:
    places = [unit.place for unit in state.units.values()]
    return places.count("lost"), places.count("lost-at-group")


def _us_unit_lines(state: State) -> Iterator[ScoreLine]:
    lost_away, lost_at_group = _lost_units(state)
    yield ScoreLine(
        f"{count_noun(lost_away, 'US air unit')} lost away from the task groups", -(lost_away // 2)
    )
    yield ScoreLine(
        f"{count_noun(lost_at_group, 'US air unit')} lost at the task groups", -(lost_at_group // 4)
    )


def _japanese_carrier_lines(state: State) -> Iterator[ScoreLine]:
    """Yield the score lines for damaged or sunk Japanese carriers."""
    awards = state.game_data.charts.vp_awards
    for name, hull in state.hulls.items():
        card = state.game_data.japanese_ships[name]
        level = hull_level(state, name)
        if not card.is_carrier or not level:
            continue
        if level == "light":
            value = hull.hits.total * awards.value("jp_carrier_light_per_damage_point")
        else:
            value = awards.value(f"jp_{card.type.lower()}_{level}")
        yield ScoreLine(f"{card.name}: {_DAMAGE_WORDS[level]}", value)


_DAMAGE_WORDS: Final = {
    "light": "light damage",
    "heavy": "heavy damage",
    "crippled": "crippled",
    "sunk": "sunk",
}


def _us_carrier_lines(state: State) -> Iterator[ScoreLine]:
    losses = state.game_data.charts.vp_deductions
    for name in state.ships:
        card = state.game_data.us_ships[name]
        level = us_level(state, name) if card.is_carrier else ""
        if level:
            key = f"us_{card.type.lower()}_sunk" if level == "sunk" else f"us_carrier_{level}"
            yield ScoreLine(f"{card.name}: {_DAMAGE_WORDS[level]}", losses.value(key))


def _air_point_lines(state: State) -> Iterator[ScoreLine]:
    """Yield the score lines for Japanese aircraft. In Scenario 9, each naval point scores 1 (OP-52)."""
    naval = state.destroyed_naval + sum(
        force.boxes.get("lost", 0) - force.free_lost for force in state.forces.values()
    )
    land = state.destroyed + state.guam.boxes.get("lost", 0)
    if state.scenario == GHOST_SCENARIO:
        yield ScoreLine(f"{count_noun(naval, 'naval air point')} destroyed", naval)
        yield ScoreLine(f"{count_noun(land, 'land air point')} destroyed", land // _POINTS_PER_VP)
        return
    total = naval + land
    yield ScoreLine(f"{count_noun(total, 'Japanese air point')} destroyed", total // _POINTS_PER_VP)


def _boat_and_exit_lines(state: State) -> Iterator[ScoreLine]:
    losses = state.game_data.charts.vp_deductions
    sunk_count = sum(boat.is_sunk for boat in state.boats.values())
    yield ScoreLine(
        f"{count_noun(sunk_count, 'US submarine')} sunk",
        sunk_count * losses.value("us_submarine_sunk"),
    )
    for name, hull in state.hulls.items():
        if hull.is_vp_exit:
            card = state.game_data.japanese_ships[name]
            kind = {"CV": "carrier", "CVL": "carrier", "BB": "battleship"}.get(
                card.type, "cruiser_or_destroyer_force"
            )
            value = losses.value(f"jp_{kind}_exits_invasion_zone")
            yield ScoreLine(f"{card.name} reached the invasion fleet", value)


def net_points(state: State) -> int:
    """Return the net victory points of the current position (15.1)."""
    return sum(line.points for line in score_lines(state))


def victory_verdict(state: State, points: int) -> VictoryVerdict:
    """Return the victory level for a number of points (15.1)."""
    levels = state.game_data.scenarios[state.scenario].victory.levels
    for level in levels:
        if level.min is None or points >= level.min:
            return VictoryVerdict(level.level, level.verdict or VERDICTS[level.level])
    level_words = state.game_data.charts.victory_levels.look_up(points).result
    return VictoryVerdict(level_words, VERDICTS[level_words])


def victory_level(state: State, points: int) -> str:
    """Return the name of the victory level for a number of points (15.1)."""
    return victory_verdict(state, points).level_words


def scenario_outcome(state: State) -> Outcome:
    """Return the outcome of the scenario (15.1).

    The US side wins at levels above the middle one and loses at levels below it. A mixed or even result has no winner.
    """
    points = net_points(state)
    level = victory_verdict(state, points)
    return Outcome(
        winner=Role("us") if level.verdict == "won" else None,
        level=level.level_words,
        score=points,
        reason=f"{count_noun(points, 'victory point')}: {level.level_words} (15.1).",
        is_lost=level.verdict == "lost",
    )
