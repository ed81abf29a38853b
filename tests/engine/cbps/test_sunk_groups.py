"""Task groups whose ships have all sunk no longer count for anything (5.21, 4.22, 6.33, 6.43, 14.22)."""

from msgspec.structs import replace

from engine.cbps.commands import DetachShip, LightUp, Rejoin
from engine.cbps.ruleset import CBPS
from engine.cbps.search.ch08_flight import home_hex
from engine.cbps.state import Search, State, UsShip
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role
from tests.engine.cbps.battle import battle, options, refusals
from tests.engine.cbps.fleet_at import DUSK, HOME, operations, us_move

GONE = "58.4"


def without_ships(state: State, group: str = GONE, **fields: object) -> State:
    """Return a state in which all ships of a group have sunk."""
    ships = {
        name: UsShip(is_sunk=True) if ship.group == group else ship
        for name, ship in state.ships.items()
    }
    groups = {**state.groups, group: replace(state.groups[group], **fields)}
    return replace(state, ships=ships, groups=groups)


def test_6_43_a_group_without_ships_cannot_turn_on_lights() -> None:
    state = without_ships(operations(at=DUSK), hex="1020")
    assert refusals(state, LightUp(group=GONE)) == ("6.43",)
    assert LightUp(group=GONE) not in options(state)


def test_6_33_a_group_without_ships_cannot_rejoin() -> None:
    state = without_ships(us_move(), is_detached=True)
    assert refusals(state, Rejoin(group=GONE)) == ("6.33",)


def test_6_15_the_marker_of_a_sunk_surface_group_can_be_reused() -> None:
    state = operations(groups={"surface-1": {"hex": "1020", "is_detached": True}})
    assert DetachShip(ship="iowa", group="surface-1") in CBPS.free_actions(state, Role("us"))
    ledger = CBPS.ledger(state, ScriptedDice())
    CBPS.resolve(ledger, Role("us"), DetachShip(ship="iowa", group="surface-1"))
    assert ledger.state.groups["surface-1"].hex == HOME


def test_8_28_a_search_of_a_sunk_group_returns_to_the_nearest_carriers() -> None:
    search = Search(kind="standard", origin=HOME, group=GONE, hex="1112")
    state = battle("6")
    assert home_hex(without_ships(state, hex="1120"), search) == state.groups["58.1"].hex
    assert home_hex(state, replace(search, group="58.1")) == state.groups["58.1"].hex
