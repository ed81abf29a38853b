"""Attacks by US submarines (14.16)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.cbps.commands import Aim, CbpsCommand
from engine.cbps.damage.ch12_hulls import carriers_in_force, ships_in_force
from engine.cbps.events.japan import ForceHit
from engine.cbps.forces.ch07_forces import is_surface
from engine.cbps.forces.ch12_hits import hit_hull, sink_hull
from engine.cbps.frames import BoatHitsFrame
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.prose import names
from engine.cbps.rulings import BOAT_TARGET
from engine.cbps.run import Action, DecisionHandler, Run, chart_modifier
from engine.cbps.seats import US
from engine.cbps.state import State
from engine.cbps.submarines.ch14_boats import after_hit_modifiers, roll_asw
from engine.kernel.ids import Refusal, Rule

SUNK_HITS: Final = 99
"""The number of hits recorded for a sinking if the ship is not yet known (14.162)."""
SURFACE_LEVEL: Final = 3
CARRIER_LEVEL: Final = 4
_HEAVIEST_FIRST: Final = ("BB", "CA", "DD")


def resolve_torpedo_attack(run: Run, boat: str, target: str) -> None:
    """Attack a force or a lone crippled ship with a submarine, then resolve ASW (14.16)."""
    is_lone_ship = target not in run.state.forces
    charts = run.state.game_data.charts
    modifiers = (chart_modifier(charts.us_submarine_attack, "crippled"),) if is_lone_ship else ()
    rolls = run.roll_on_chart(charts.us_submarine_attack, target, modifiers)
    hits, is_sunk = 0, False
    for _ in range(rolls):
        extra_damage = _roll_damage(run, target)
        hits += extra_damage or 0
        is_sunk = is_sunk or extra_damage is None
    if not hits and not is_sunk:
        roll_asw(run, boat, is_against_lone=is_lone_ship)
    elif is_lone_ship:
        _hit_ship(run, target, hits, is_sunk=is_sunk)
        roll_asw(run, boat, after_hit_modifiers(run.state), is_against_lone=True)
    elif _has_choice(run.state, target):
        run.push(BoatHitsFrame(boat=boat, force=target, hits=hits, is_sunk=is_sunk))
    else:
        _hit_force(run, target, hits, is_sunk=is_sunk)
        roll_asw(run, boat, after_hit_modifiers(run.state))


def _roll_damage(run: Run, target: str) -> int | None:
    """Make one damage roll. Return the number of hits, or None if the target sinks (14.164)."""
    charts = run.state.game_data.charts
    hits = run.roll_on_chart(charts.us_submarine_hits, target)
    if hits != "second_roll":
        return hits
    extra_damage = run.roll_on_chart(charts.us_submarine_hits_second, target)
    return None if extra_damage == "sunk" else extra_damage


def _has_choice(state: State, force: str) -> bool:
    """Return whether the player chooses which carrier takes the hits (OP-50)."""
    is_known = (
        state.forces[force].level == CARRIER_LEVEL and len(carriers_in_force(state, force)) > 1
    )
    return is_known and not BOAT_TARGET.uses_alternative(state.options)


def _hit_ship(run: Run, ship: str, hits: int, *, is_sunk: bool) -> None:
    """Apply current hits to a known ship, or sink it (14.161, 14.164)."""
    if is_sunk:
        sink_hull(run, ship)
    else:
        hit_hull(run, ship, hits)


def _hit_force(run: Run, name: str, hits: int, *, is_sunk: bool) -> None:
    """Apply hits to a force when the player may not choose the ship (14.162, 14.163)."""
    force_state = run.state.forces[name]
    if force_state.level == CARRIER_LEVEL:
        _hit_ship(run, _random_carrier(run, name), hits, is_sunk=is_sunk)
    elif is_surface(force_state) and force_state.level == SURFACE_LEVEL:
        if ships_in_force(run.state, name):
            _hit_ship(run, _random_heaviest(run, name), hits, is_sunk=is_sunk)
    elif is_surface(force_state) and force_state.level < SURFACE_LEVEL:
        # 14.163: the hits apply to one of the force's ships. If the force turns out to have
        # carriers, the hits remain assigned to the force.
        if promote(run, name, SURFACE_LEVEL, "sub"):
            _hit_force(run, name, hits, is_sunk=is_sunk)
    else:
        run.add(ForceHit(force=name, hits=SUNK_HITS if is_sunk else hits))


def _random_carrier(run: Run, force: str) -> str:
    """Return a random carrier in a force, a CV if there is one (OP-50)."""
    ship_data = run.state.game_data.japanese_ships
    carriers = carriers_in_force(run.state, force)
    best_carriers = [ship for ship in carriers if ship_data[ship].type == "CV"] or carriers
    return run.pick(best_carriers, "14.16", force)


def _random_heaviest(run: Run, force: str) -> str:
    """Return a random unit of the heaviest class in a surface force (14.163)."""
    state = run.state
    types = {
        ship: state.game_data.japanese_ships[ship].type for ship in ships_in_force(state, force)
    }
    heaviest_index = min(_HEAVIEST_FIRST.index(kind) for kind in types.values())
    heaviest_ships = [
        ship for ship, kind in types.items() if kind == _HEAVIEST_FIRST[heaviest_index]
    ]
    return run.pick(heaviest_ships, "14.163", force)


class BoatAimAction(Action[BoatHitsFrame, Aim]):
    """Chooses the carrier that takes the hits (14.16, OP-50)."""

    kind = Aim
    timing = Refusal(Rule("14.16"), "a carrier is chosen when a submarine has hit its force")

    @override
    def candidates(self, state: State, frame: BoatHitsFrame, role: str) -> Iterator[Aim]:
        return (Aim(ship=ship) for ship in carriers_in_force(state, frame.force))

    @override
    def refusals(
        self, state: State, frame: BoatHitsFrame, role: str, command: Aim
    ) -> Iterator[Refusal]:
        """Yield a refusal if the ship is not a carrier of the force."""
        if command.ship not in carriers_in_force(state, frame.force):
            yield Refusal(
                Rule("14.16"), f"{names.display_name(command.ship)} is not a carrier of this force"
            )

    @override
    def apply(self, run: Run, frame: BoatHitsFrame, role: str, command: Aim) -> None:
        """Apply the hits to the carrier, then resolve ASW."""
        run.pop()
        _hit_ship(run, command.ship, frame.hits, is_sunk=frame.is_sunk)
        roll_asw(run, frame.boat, after_hit_modifiers(run.state))


class BoatHits(DecisionHandler[BoatHitsFrame]):
    """The decision on which carrier in a known force takes a submarine's hits (14.16)."""

    frame = BoatHitsFrame
    rule = Rule("14.16")
    question = "Which carrier has the submarine hit?"
    actions = (BoatAimAction(),)

    @override
    def active_roles(self, state: State, frame: BoatHitsFrame) -> tuple[str, ...]:
        return (US,)

    @override
    def default(
        self,
        state: State,
        frame: BoatHitsFrame,
        role: str,
        options: tuple[CbpsCommand, ...],
    ) -> CbpsCommand:
        """Return the CV with the most capacity left, or a CVL if there is no CV (14.16)."""

        def option_value(option: CbpsCommand) -> tuple[bool, int]:
            assert isinstance(option, Aim)
            row = state.game_data.japanese_ships[option.ship]
            return row.type == "CV", row.damage_capacity - state.hulls[option.ship].hits.total

        return max(options, key=option_value)


HANDLERS: Final = (BoatHits(),)
