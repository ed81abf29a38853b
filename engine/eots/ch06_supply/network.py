"""The hexes where a side's units are in supply, given enemy ZOI (6.21, 6.22, 13.74, 13.75, 13.78)."""

from enum import StrEnum
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import (
    Bits,
    BoardBitsets,
    Steps,
    advance_front,
    all_hexes,
    steps_inside,
    whole_map,
)
from engine.eots.ch06_supply.lines import (
    LineSteps,
    Reach,
    flood_fill,
    flood_fill_with_ports,
    line_steps,
    overland_reach,
    supply_reach,
)
from engine.eots.ch06_supply.network_key import NetworkKey, network_key
from engine.eots.ch06_supply.profiles import Mover, Profile, allowed_hexes, can_command, profile
from engine.eots.ch06_supply.routes import RANGOON
from engine.eots.counters import counters
from engine.eots.ids import ActivationNation, AreaId, HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.memo import Memo, lazy

__all__ = [
    "BurmaRoad",
    "Mover",
    "Network",
    "NetworkKey",
    "Profile",
    "allowed_hexes",
    "build_network",
    "can_command",
    "network",
    "network_key",
    "profile",
]

KUNMING: Final = HexId("2407")
MADRAS: Final = HexId("1406")
OFF_SHEET_HQ: Final = UnitId("us-hq-central-pacific")
"""The HQ located outside the South Pacific sheet (17.10.5K)."""
NEW_HEBRIDES: Final = AreaId("new-hebrides-sp")


class BurmaRoad(StrEnum):
    """Boxes of the Burma Road track (13.78)."""

    OPEN = "open"
    CLOSED_HUMP = "closed-hump"
    CLOSED = "closed-no-hump"


class Network:
    """One side's supply network. Each part is computed on first use."""

    def __init__(self, key: NetworkKey, recent_networks: "list[Network]") -> None:
        """Create a network for a key. Its results can reuse the results of recent networks.

        Recent networks often differ from this one in only a few hexes. This network joins them once it has computed an
        area.
        """
        self.key = key
        self.ports = key.controlled & key.bitsets.ports
        self.areas: dict[Profile, Bits] = {}
        self.measures: dict[tuple[Mover, Bits], Bits] = {}
        self.reaches: dict[ActivationNation, Reach] = {}
        self._recent_networks = recent_networks

    def _add_to_recent(self) -> None:
        """Add this network to the recent networks.

        If there are too many, remove the oldest and clear its references.
        """
        recent_networks = self._recent_networks
        recent_networks.insert(0, self)
        if len(recent_networks) > _MAX_RECENT:
            # Otherwise, networks would keep one another alive in a chain that grows throughout the game.
            recent_networks.pop().release_references()

    def release_references(self) -> None:
        """Clear the references to other networks so that those networks can be freed."""
        self._recent_networks = []
        self.__dict__.update(_comparable_networks=(), _dominated_networks=())

    @lazy
    def steps(self) -> LineSteps:
        """Hexsides on this game's map that supply lines may cross."""
        return self._steps_on(self.key.bitsets)

    def _steps_on(self, bitsets: BoardBitsets) -> LineSteps:
        key = self.key
        return line_steps(bitsets, key.open_hexes, key.free_hexes, land_only=key.land_only)

    @lazy
    def _off_sheet_reach(self) -> Bits:
        """Hexes that the HQ outside the South Pacific sheet can supply; empty in other scenarios (17.10.5K, OPS-11)."""
        if not any(self.is_off_sheet(hq) for hq, _ in self.key.hqs):
            return 0
        new_hebrides = board().areas[NEW_HEBRIDES].hexes
        return self.key.bitsets.from_hexes((*new_hebrides, dict(self.key.hqs)[OFF_SHEET_HQ]))

    def is_off_sheet(self, hq: UnitId) -> bool:
        """Return whether an HQ is outside the South Pacific sheet (17.10.5K)."""
        return hq == OFF_SHEET_HQ and self.key.bitsets is not whole_map()

    def hq_hexes(self, hqs: tuple[tuple[UnitId, HexId], ...]) -> Bits:
        """Return the set of hexes that contain these HQs."""
        return self.key.bitsets.from_hexes(hex_id for _, hex_id in hqs)

    @lazy
    def _hqs_on_sheet(self) -> tuple[tuple[UnitId, HexId], ...]:
        return tuple((hq, index) for hq, index in self.key.hqs if not self.is_off_sheet(hq))

    @lazy
    def _hq_hexes(self) -> Bits:
        """Hexes of the HQs that are on this game's map."""
        return self.hq_hexes(self._hqs_on_sheet)

    @lazy
    def supplied_hqs(self) -> frozenset[UnitId]:
        """HQs in supply. The HQ outside the South Pacific sheet is always in supply."""
        key = self.key
        goal = self._hq_hexes
        # If all HQs and a source are connected by sea, all HQs are in supply.
        if goal and not goal & ~self._first_sea and key.sources & self._first_sea:
            return frozenset(hq for hq, _ in key.hqs)
        joined_hexes = (
            flood_fill_with_ports(key.sources, self.steps, self.ports, goal) if goal else 0
        )
        return frozenset(
            hq
            for hq, hex_id in key.hqs
            if self.is_off_sheet(hq) or joined_hexes & key.bitsets.bit_by_id[hex_id]
        )

    @lazy
    def _first_sea(self) -> Bits:
        """Hexes connected by sea to the first HQ, including its own hex. They usually include all other HQ hexes."""
        starts = self.hq_hexes(self._hqs_on_sheet[:1])
        # Networks with fewer lines reach only hexes that this one reaches too, so start from their
        # results.
        for network in self._dominated_networks:
            starts |= network._first_sea  # noqa: SLF001  # a network with the same HQs
        return flood_fill(starts, self.steps.sea)

    @lazy
    def _sea_of_hqs(self) -> Bits:
        """Hexes connected to any HQ by sea, including the HQs' own hexes."""
        hexes = self._hq_hexes
        return (
            self._first_sea if not hexes & ~self._first_sea else flood_fill(hexes, self.steps.sea)
        )

    @lazy
    def _land_of_hqs(self) -> Bits:
        """Hexes connected to any HQ by land, including the HQs' own hexes."""
        return flood_fill(self._hq_hexes, self.steps.land)

    @lazy
    def home_line(self) -> Bits:
        """Hexes connected to an ultimate source by a line that obeys the rules for HQs (6.21B)."""
        return flood_fill_with_ports(self.key.sources, self.steps, self.ports)

    @lazy
    def east_line(self) -> Bits:
        """Hexes connected to the east edge by a line that obeys the rules for HQs (6.25)."""
        return flood_fill_with_ports(self.key.east, self.steps, self.ports)

    def connected_to(self, starts: Bits) -> Bits:
        """Return every hex connected to the given hexes by a line of any length through any number of ports (6.21B)."""
        return flood_fill_with_ports(starts, self.steps, self.ports)

    @lazy
    def eligible_ports(self) -> Bits:
        """Supply-eligible ports (1.3, OP-2)."""
        hexes = self._hq_hexes
        ports = self._sea_of_hqs
        if not self.key.sea_only and hexes:
            mover = Mover.JAPAN_GROUND if self.key.side is Side.JAPAN else Mover.OTHER
            ports |= self.overland_reach(hexes, mover)
        return (ports | self._off_sheet_reach) & self.ports

    @lazy
    def eligible_airfields(self) -> Bits:
        """Supply-eligible airfields (1.3)."""
        by_sea, by_land, ports = self._sea_of_hqs, self._land_of_hqs, self.eligible_ports
        airfields = by_sea | by_land | self._off_sheet_reach
        airfields |= flood_fill(by_sea & ports, self.steps.land) | flood_fill(
            by_land & ports, self.steps.sea
        )
        return airfields & self.key.controlled & self.key.bitsets.airfields

    def overland_reach(self, starts: Bits, mover: Mover) -> Bits:
        """Return every hex within 4 MP of the given hexes (6.21A-4, OP-4)."""
        hexes_in_reach = self.measures.get((mover, starts))
        if hexes_in_reach is None:
            hexes_in_reach = self._known_measure(starts, mover)
            if hexes_in_reach is None:
                allowed = allowed_hexes(self.key.bitsets, mover)
                entry = self.key.bitsets.entry
                hexes_in_reach = overland_reach(
                    starts, self.steps.land, self.fast_steps, entry, allowed
                )
            self.measures[mover, starts] = hexes_in_reach
        return hexes_in_reach

    @lazy
    def fast_steps(self) -> Steps:
        """Hexsides crossed by a route that costs half a point (6.21A-4)."""
        return steps_inside(self.key.routes, self.key.fast_hexes & self.key.open_hexes)

    @lazy
    def _comparable_networks(self) -> tuple[tuple["Network", Bits], ...]:
        """Comparable recent networks, each with the hexes where its search results may differ from this network's."""
        key, grid = self.key, self.key.bitsets.grid
        networks = []
        for network in self._recent_networks:
            other_key = network.key
            if network is self or other_key.bitsets is not key.bitsets:
                continue
            if other_key.routes == key.routes and other_key.land_only == key.land_only:
                changed = (
                    (other_key.free_hexes ^ key.free_hexes)
                    | (other_key.open_hexes ^ key.open_hexes)
                    | (other_key.fast_hexes ^ key.fast_hexes)
                )
                # The neighbours count too, because a changed hex may now be open to them.
                networks.append((network, changed | advance_front(changed, grid)))
        return tuple(networks)

    @lazy
    def _dominated_networks(self) -> tuple["Network", ...]:
        """Recent networks whose lines all exist in this network too."""
        key, hqs = self.key, self._hq_hexes
        return tuple(
            network
            for network in self._recent_networks
            if network is not self
            and is_dominated(network.key, key)
            and network.key.controlled & hqs == key.controlled & hqs
        )

    def supplies_everywhere(self, unit_profile: Profile, hexes: Bits) -> bool:
        """Return whether a unit would be in supply in all of these hexes. Known areas are reused where possible."""
        area = self.areas.get(unit_profile)
        if area is None:
            unsupplied_hexes = hexes
            for network in self._dominated_networks:
                unsupplied_hexes &= ~network.areas.get(unit_profile, 0)
                if not unsupplied_hexes:
                    return True
            area = self.area(unit_profile)
        return not hexes & ~area

    def _known_measure(self, starts: Bits, mover: Mover) -> Bits | None:
        """Return an overland reach cached by a recent network if it is still valid, otherwise None."""
        for network, changes in self._comparable_networks:
            measure = network.measures.get((mover, starts))
            # A search that enters no hex near a change has the same result as before.
            if measure is not None and not measure & changes:
                return measure
        return None

    def _known_reach(self, nation: ActivationNation, starts: dict[int, Bits]) -> Reach | None:
        """Return the reach of a nation's lines cached by a recent network if it is still valid, otherwise None."""
        for network, changes in self._comparable_networks:
            hexes_in_reach = network.reaches.get(nation)
            if hexes_in_reach is None:
                continue
            hexes_entered = hexes_in_reach.by_sea | hexes_in_reach.by_land
            if (
                not hexes_entered & (changes | (self.eligible_ports ^ network.eligible_ports))
                and network.hq_starts(nation, is_lost=False) == starts
            ):
                return hexes_in_reach
        return None

    @lazy
    def burma_road(self) -> BurmaRoad:
        """Status of the Burma Road (13.78). Meaningful only in the Allied network."""
        if self._is_road_open:
            return BurmaRoad.OPEN
        return BurmaRoad.CLOSED_HUMP if self.is_hump_open else BurmaRoad.CLOSED

    @lazy
    def is_hump_open(self) -> bool:
        """True if the airlift is active and an airfield listed in 6.23 is Allied-controlled and supply-eligible."""
        key = self.key
        open_airfields = key.hump_airfields & key.controlled & key.bitsets.airfields
        if not open_airfields:
            return False
        # There is usually an HQ in India, so try the cheaper test first: is the airfield connected
        # to an HQ by land?
        return bool(open_airfields & self._land_of_hqs or open_airfields & self.eligible_airfields)

    @lazy
    def _is_road_open(self) -> bool:
        key = self.key
        bit_by_id = key.bitsets.bit_by_id
        if key.bitsets is not whole_map():
            return False  # 17.10.5J
        connected = flood_fill(bit_by_id[KUNMING], steps_inside(key.routes, key.controlled))
        if connected & bit_by_id[MADRAS]:
            blocked_hexes = flood_fill(
                bit_by_id[KUNMING], steps_inside(key.routes, key.controlled & key.open_hexes)
            )
            if blocked_hexes & bit_by_id[MADRAS]:
                return True  # 13.78B
        if not connected & bit_by_id[RANGOON] & key.free_hexes:
            return False
        reachable_seas = flood_fill(
            bit_by_id[RANGOON], steps_inside(self.steps.sea, key.free_hexes)
        )
        return bool(reachable_seas & (bit_by_id[MADRAS] | key.sources))  # 13.78A

    @lazy
    def kunming(self) -> Bits:
        """Kunming if it is a supply source, otherwise the empty set (13.75-1)."""
        if self.key.side is Side.JAPAN or self.burma_road is BurmaRoad.CLOSED:
            return 0
        return self.key.bitsets.bit_by_id[KUNMING]

    def hq_starts(self, nation: ActivationNation, *, is_lost: bool) -> dict[int, Bits]:
        """Return the hexes of a nation's supplied HQs, by command range.

        Args:
            nation: The nation of the HQs.
            is_lost: True to select the HQs in hexes that their side does not control, False to select all other HQs.
        """
        return self._all_starts.get((nation, is_lost), {})

    @lazy
    def _all_starts(self) -> dict[tuple[ActivationNation, bool], dict[int, Bits]]:
        key, starts = self.key, dict[tuple[ActivationNation, bool], dict[int, Bits]]()
        for hq, hex_id in self._hqs_on_sheet:
            if hq in self.supplied_hqs and hq not in key.barred_units:
                counter, bit = counters()[hq], key.bitsets.bit_by_id[hex_id]
                assert counter.hq is not None
                row = starts.setdefault((counter.activation_nation, not bit & key.controlled), {})
                row[counter.hq.command_range] = row.get(counter.hq.command_range, 0) | bit
        return starts

    def _own_hex_supply(self, nation: ActivationNation) -> Bits:
        """Return the hexes of a nation's supplied HQs that supply only their own hex (10.11-5)."""
        if not self.key.barred_units:
            return 0
        return self.hq_hexes(
            tuple(
                (hq, hex_id)
                for hq, hex_id in self.key.hqs
                if hq in self.key.barred_units
                and hq in self.supplied_hqs
                and counters()[hq].activation_nation is nation
            )
        )

    def supplying_hq_starts(self, unit_profile: Profile) -> dict[int, Bits]:
        """Return the hexes of the supplied HQs that may supply a unit, by command range (6.12)."""
        starts: dict[int, Bits] = {}
        for nation in self.hq_nations:
            if can_command(nation, unit_profile):
                for is_lost in (False, True):
                    for radius, hexes in self.hq_starts(nation, is_lost=is_lost).items():
                        starts[radius] = starts.get(radius, 0) | hexes
        return starts

    def supplying_hq_hexes(self, unit_profile: Profile) -> Bits:
        """Return the hexes of the supplied HQs that may supply a unit."""
        hq_hexes = 0
        for hexes in self.supplying_hq_starts(unit_profile).values():
            hq_hexes |= hexes
        return hq_hexes

    @lazy
    def hq_nations(self) -> tuple[ActivationNation, ...]:
        """Nations of the HQs on the map, in a fixed order."""
        return tuple(sorted({counters()[hq].activation_nation for hq, _ in self.key.hqs}))

    def _reach(self, nation: ActivationNation) -> Reach:
        hexes_in_reach = self.reaches.get(nation)
        if hexes_in_reach is None:
            starts = self.hq_starts(nation, is_lost=False)
            hexes_in_reach = self._known_reach(nation, starts)
            if hexes_in_reach is None:
                hexes_in_reach = supply_reach(starts, self.steps, self.eligible_ports)
            self.reaches[nation] = hexes_in_reach
        return hexes_in_reach

    def _lost_area(self, nation: ActivationNation, mover: Mover) -> Bits:
        """Return the area supplied by HQs in hexes that their side does not control.

        Each line is limited by its own HQ's range.
        """
        area = 0
        for radius, hexes in self.hq_starts(nation, is_lost=True).items():
            for index in self.key.bitsets.indexes(hexes):
                start_bit = self.key.bitsets.bit_by_index[index]
                line = supply_reach({radius: start_bit}, self.steps, self.eligible_ports)
                reachable_hexes_found = self.overland_reach(
                    self.eligible_ports | self.kunming | start_bit, mover
                )
                area |= line.by_sea | (line.by_land & reachable_hexes_found)
        return area

    def _far_area(self, nation: ActivationNation) -> Bits:
        """Return the New Hebrides hexes that the HQ outside the South Pacific sheet supplies (17.10.5K)."""
        if not self._off_sheet_reach or nation is not ActivationNation.US:
            return 0
        hq_hex = dict(self.key.hqs)[OFF_SHEET_HQ]
        row = counters()[OFF_SHEET_HQ].hq
        assert row is not None
        start_bit = {row.command_range: self.key.bitsets.bit_by_id[hq_hex]}
        line = supply_reach(start_bit, self._steps_on(whole_map()), self.eligible_ports)
        return (line.by_sea | line.by_land) & self._off_sheet_reach

    def area(self, unit_profile: Profile) -> Bits:
        """Return the hexes where a unit is in supply (6.21A, 13.75-2)."""
        area = self.areas.get(unit_profile)
        if area is None:
            if not self.areas:
                self._add_to_recent()
            area = self.areas[unit_profile] = self._area(unit_profile)
        return area

    def _area(self, unit_profile: Profile) -> Bits:
        mover = unit_profile.mover
        area = self.overland_reach(self.kunming, mover) if self.kunming else 0  # 13.75-2
        by_land = 0
        for nation in self.hq_nations:
            if not can_command(nation, unit_profile):
                continue
            line = self._reach(nation)
            area |= line.by_sea | self._own_hex_supply(nation)
            area |= self._lost_area(nation, mover) | self._far_area(nation)
            by_land |= line.by_land
        # The overland range limits only lines that end by land (6.21A-4).
        if by_land & ~area:
            area |= by_land & self.overland_reach(self.eligible_ports | self.kunming, mover)
        return area

    def supplies(self, unit: UnitId, hexes: Bits) -> bool:
        """Return whether a unit other than an HQ would be in supply in all of these hexes; False if there are none."""
        return bool(hexes) and self.supplies_everywhere(profile(unit), hexes)


def is_dominated(lower_key: NetworkKey, higher_key: NetworkKey) -> bool:
    """Return whether every line in the lower network also exists in the higher network.

    This assumes that both networks control the same HQ hexes.
    """
    return (
        lower_key.bitsets is higher_key.bitsets
        and lower_key.side is higher_key.side
        and not lower_key.free_hexes & ~higher_key.free_hexes
        and not lower_key.open_hexes & ~higher_key.open_hexes
        and not lower_key.controlled & ~higher_key.controlled
        and lower_key.hqs == higher_key.hqs
        and not lower_key.fast_hexes & ~higher_key.fast_hexes
        and not lower_key.sources & ~higher_key.sources
        and not lower_key.hump_airfields & ~higher_key.hump_airfields
        and lower_key.routes == higher_key.routes
        and lower_key.barred_units == higher_key.barred_units
        and lower_key.land_only == higher_key.land_only
        and lower_key.sea_only == higher_key.sea_only
    )


_MAX_RECENT: Final = 4
"""Number of recent networks kept per side so that later networks can reuse their results."""
_RECENT_NETWORKS: Final = Memo[dict[Side, list[Network]]]()
_MEMO: Final = Memo[Network](32, by_value=True)


def network(state: State, key: NetworkKey) -> Network:
    """Return the network for a key. Results are cached by value, because many moves leave the key unchanged."""
    return _MEMO.get(state, (key,), lambda: _network(state, key))


def _network(state: State, key: NetworkKey) -> Network:
    recent_networks = _RECENT_NETWORKS.latest_result(state)
    if recent_networks is None:
        recent_networks = _RECENT_NETWORKS.store(state, {side: [] for side in Side})
    return Network(key, recent_networks[key.side])


def build_network(
    state: State, key: NetworkKey, enemy_zoi: Bits, barred_units: frozenset[UnitId] = frozenset()
) -> Network:
    """Return the network for a key, given the hexes in unneutralised enemy ZOI.

    Args:
        state: The position, or any other position from the same game.
        key: The side's key.
        enemy_zoi: Hexes in unneutralised enemy ZOI.
        barred_units: HQs that supply only their own hex (10.11-5).
    """
    free_hexes = all_hexes(key.bitsets) & ~enemy_zoi
    return network(state, key._replace(free_hexes=free_hexes, barred_units=barred_units))
